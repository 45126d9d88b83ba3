-- DBmbench muNJ: a foreign key, 20 % of the keys selected
-- He, CPU, GPU and both: 1828, 500, 455 ms
SELECT avg(t1.a3)
FROM t1, t2
WHERE t1.a1 = t2.a1
	AND t1.a2 > 8000 AND t1.a2 < 12001;
