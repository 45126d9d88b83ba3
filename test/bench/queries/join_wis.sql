-- Wisconsin: all columns of both sides
SELECT *
FROM w1 JOIN w2 ON w1.unique1 = w2.unique1;
