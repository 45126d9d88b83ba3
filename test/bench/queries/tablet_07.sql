-- int, 13-25 % selected, products, rows returned
SELECT id, normali5, normali20
FROM test
WHERE normali5*normali20>=-5 AND normali5*normali20<=5;
