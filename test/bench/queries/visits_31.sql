-- engines and addresses of clients that searched most
SELECT search_engine_id, client_ip, count(*) AS visits, sum(is_refresh), avg(resolution_width)
FROM visits
WHERE search_phrase <> ''
GROUP BY search_engine_id, client_ip
ORDER BY visits DESC, search_engine_id, client_ip
LIMIT 10;
