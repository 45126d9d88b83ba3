-- the k-th largest, k = 1 % of the rows
-- extra
SELECT data_count
FROM tcpip
ORDER BY data_count DESC
OFFSET :k - 1 LIMIT 1;
