-- most frequent search phrases of an engine
SELECT search_engine_id, search_phrase, count(*) AS visits
FROM visits
WHERE search_phrase <> ''
GROUP BY search_engine_id, search_phrase
ORDER BY visits DESC, search_engine_id, search_phrase
LIMIT 10;
