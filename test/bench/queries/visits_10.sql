-- regions with the most visits, several aggregates
SELECT region_id, sum(adv_engine_id), count(*) AS visits, avg(resolution_width), count(DISTINCT user_id)
FROM visits
GROUP BY region_id
ORDER BY visits DESC, region_id
LIMIT 10;
