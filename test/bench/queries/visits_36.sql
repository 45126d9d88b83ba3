-- clients with the most visits, four keys computed from one column
SELECT client_ip, client_ip - 1 AS less_1, client_ip - 2 AS less_2, client_ip - 3 AS less_3, count(*) AS visits
FROM visits
GROUP BY client_ip, client_ip - 1, client_ip - 2, client_ip - 3
ORDER BY visits DESC, client_ip
LIMIT 10;
