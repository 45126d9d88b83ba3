-- ORD: all rows in the order of a column
-- He, CPU, GPU and both, 16 M rows with transfer: 3609, 1735, 1703 ms
SELECT a2
FROM r
WHERE a1 BETWEEN 0 AND 2147483646
ORDER BY a1;
