-- int, 67 % selected, reduced to counts and sums
SELECT count(*) AS n, sum(id) AS sum_id, sum(uniformi) AS sum_uniformi, sum(normali5) AS sum_normali5
FROM test
WHERE uniformi>-60 AND normali5<5;
