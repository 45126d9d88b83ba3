-- int, 67 % selected, rows returned
SELECT id, uniformi, normali5
FROM test
WHERE uniformi>-60 AND normali5<5;
