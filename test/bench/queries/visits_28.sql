-- sites with the longest addresses
SELECT counter_id, avg(length(url)) AS url_length, count(*) AS visits
FROM visits
WHERE url <> ''
GROUP BY counter_id
HAVING count(*) > 2000
ORDER BY url_length DESC, counter_id
LIMIT 25;
