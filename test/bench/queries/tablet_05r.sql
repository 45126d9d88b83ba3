-- int, 75 % selected, arithmetic, reduced to counts and sums
SELECT count(*) AS n, sum(id) AS sum_id, sum(uniformi) AS sum_uniformi, sum(normali20) AS sum_normali20
FROM test
WHERE (normali20+40)>(uniformi-10);
