-- regions with the most users
SELECT region_id, count(DISTINCT user_id) AS users
FROM visits
GROUP BY region_id
ORDER BY users DESC, region_id
LIMIT 10;
