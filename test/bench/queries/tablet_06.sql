-- float4, 75 % selected, arithmetic, rows returned
SELECT id, uniformf, normalf20
FROM test
WHERE (normalf20+40)>(uniformf-10);
