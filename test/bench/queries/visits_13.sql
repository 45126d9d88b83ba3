-- most frequent search phrases
SELECT search_phrase, count(*) AS visits
FROM visits
WHERE search_phrase <> ''
GROUP BY search_phrase
ORDER BY visits DESC, search_phrase
LIMIT 10;
