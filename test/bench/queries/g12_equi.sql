-- equi-join, 1e-4 of all pairs
-- extra
SELECT count(*)
FROM o JOIN i ON o.k = i.k;
