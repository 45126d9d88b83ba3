-- float4, 75 % selected, arithmetic, reduced to counts and sums
SELECT count(*) AS n, sum(id) AS sum_id, sum(uniformf) AS sum_uniformf, sum(normalf20) AS sum_normalf20
FROM test
WHERE (normalf20+40)>(uniformf-10);
