-- band join, 5e-3 of all pairs
-- extra
SELECT count(*)
FROM o JOIN i ON o.k BETWEEN i.k - 25 AND i.k + 25;
