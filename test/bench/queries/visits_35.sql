-- pages with the most visits, a constant among the keys
SELECT 1 AS one, url, count(*) AS visits
FROM visits
GROUP BY one, url
ORDER BY visits DESC, url
LIMIT 10;
