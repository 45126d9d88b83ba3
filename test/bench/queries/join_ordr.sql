-- ORD, reduced to a sum over places in the order
SELECT sum(a2::int8 * place)
FROM (SELECT a2, row_number() OVER (ORDER BY a1, a2) AS place FROM r WHERE a1 BETWEEN 0 AND 2147483646) q;
