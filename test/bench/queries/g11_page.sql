-- sort: a page in the middle
-- extra
SELECT data_count, id
FROM tcpip
ORDER BY data_count, id
OFFSET :half LIMIT 100;
