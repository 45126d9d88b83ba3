-- float4, 20-38 % selected, ORs, rows returned
SELECT id, uniformf, normalf5, normalf20
FROM test
WHERE uniformf BETWEEN -1 AND 1 OR normalf5 BETWEEN -1 AND 1 OR normalf20 BETWEEN -1 AND 1;
