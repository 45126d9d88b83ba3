-- float4, 8-10 % selected, rows returned
SELECT id, uniformf, normalf5
FROM test
WHERE uniformf>60 AND normalf5<0;
