-- float4, 67 % selected, reduced to counts and sums
SELECT count(*) AS n, sum(id) AS sum_id, sum(uniformf) AS sum_uniformf, sum(normalf5) AS sum_normalf5
FROM test
WHERE uniformf>-60 AND normalf5<5;
