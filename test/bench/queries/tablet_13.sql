-- max and min of int
SELECT max(normali5), min(normali5)
FROM test;
