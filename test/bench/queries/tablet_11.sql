-- sum of float4
SELECT sum(normalf20) AS s
FROM test;
