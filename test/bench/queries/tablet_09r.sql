-- int, 20-38 % selected, ORs, reduced to counts and sums
SELECT count(*) AS n, sum(id) AS sum_id, sum(uniformi) AS sum_uniformi, sum(normali5) AS sum_normali5, sum(normali20) AS sum_normali20
FROM test
WHERE uniformi BETWEEN -1 AND 1 OR normali5 BETWEEN -1 AND 1 OR normali20 BETWEEN -1 AND 1;
