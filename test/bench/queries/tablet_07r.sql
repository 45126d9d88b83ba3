-- int, 13-25 % selected, products, reduced to counts and sums
SELECT count(*) AS n, sum(id) AS sum_id, sum(normali5) AS sum_normali5, sum(normali20) AS sum_normali20
FROM test
WHERE normali5*normali20>=-5 AND normali5*normali20<=5;
