-- whole rows, the first ones of addresses with a word
SELECT *
FROM visits
WHERE url LIKE '%google%'
ORDER BY event_time, visit_id
LIMIT 10;
