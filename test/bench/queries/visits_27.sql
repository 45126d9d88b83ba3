-- search phrases of the first searches, in order
SELECT search_phrase
FROM visits
WHERE search_phrase <> ''
ORDER BY event_time, search_phrase
LIMIT 10;
