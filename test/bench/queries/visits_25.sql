-- search phrases of the first searches
SELECT search_phrase
FROM visits
WHERE search_phrase <> ''
ORDER BY event_time, visit_id
LIMIT 10;
