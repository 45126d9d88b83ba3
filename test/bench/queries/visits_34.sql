-- pages with the most visits
SELECT url, count(*) AS visits
FROM visits
GROUP BY url
ORDER BY visits DESC, url
LIMIT 10;
