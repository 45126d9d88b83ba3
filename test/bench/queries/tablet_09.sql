-- int, 20-38 % selected, ORs, rows returned
SELECT id, uniformi, normali5, normali20
FROM test
WHERE uniformi BETWEEN -1 AND 1 OR normali5 BETWEEN -1 AND 1 OR normali20 BETWEEN -1 AND 1;
