-- DBmbench muSS: distinct values in order, 10 % of the rows
-- He, CPU, GPU and both: 62, 219, 63 ms
SELECT DISTINCT a3
FROM t1
WHERE a2 > 8000 AND a2 < 10001
ORDER BY a3;
