-- search phrases that led to titles with a word
SELECT search_phrase, min(url), min(title), count(*) AS visits, count(DISTINCT user_id)
FROM visits
WHERE title LIKE '%Google%' AND url NOT LIKE '%.google.%' AND search_phrase <> ''
GROUP BY search_phrase
ORDER BY visits DESC, search_phrase
LIMIT 10;
