-- a group for each search
SELECT visit_id, client_ip, count(*) AS visits, sum(is_refresh), avg(resolution_width)
FROM visits
WHERE search_phrase <> ''
GROUP BY visit_id, client_ip
ORDER BY visits DESC, visit_id, client_ip
LIMIT 10;
