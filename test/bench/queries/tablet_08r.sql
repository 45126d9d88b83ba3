-- float4, 13-25 % selected, products, reduced to counts and sums
SELECT count(*) AS n, sum(id) AS sum_id, sum(normalf5) AS sum_normalf5, sum(normalf20) AS sum_normalf20
FROM test
WHERE normalf5*normalf20>=-5 AND normalf5*normalf20<=5;
