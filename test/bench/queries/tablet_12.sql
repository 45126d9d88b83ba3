-- avg of int, half selected
SELECT avg(uniformi)
FROM test
WHERE uniformi>0;
