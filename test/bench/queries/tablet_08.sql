-- float4, 13-25 % selected, products, rows returned
SELECT id, normalf5, normalf20
FROM test
WHERE normalf5*normalf20>=-5 AND normalf5*normalf20<=5;
