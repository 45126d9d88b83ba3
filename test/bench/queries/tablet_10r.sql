-- float4, 20-38 % selected, ORs, reduced to counts and sums
SELECT count(*) AS n, sum(id) AS sum_id, sum(uniformf) AS sum_uniformf, sum(normalf5) AS sum_normalf5, sum(normalf20) AS sum_normalf20
FROM test
WHERE uniformf BETWEEN -1 AND 1 OR normalf5 BETWEEN -1 AND 1 OR normalf20 BETWEEN -1 AND 1;
