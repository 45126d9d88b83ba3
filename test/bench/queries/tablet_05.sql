-- int, 75 % selected, arithmetic, rows returned
SELECT id, uniformi, normali20
FROM test
WHERE (normali20+40)>(uniformi-10);
