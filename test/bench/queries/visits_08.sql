-- visits for each advertising engine
SELECT adv_engine_id, count(*) AS visits
FROM visits
WHERE adv_engine_id <> 0
GROUP BY adv_engine_id
ORDER BY visits DESC, adv_engine_id;
