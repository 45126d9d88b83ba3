-- search phrases of the most users
SELECT search_phrase, count(DISTINCT user_id) AS users
FROM visits
WHERE search_phrase <> ''
GROUP BY search_phrase
ORDER BY users DESC, search_phrase
LIMIT 10;
