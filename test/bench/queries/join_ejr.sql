-- He: equi-join of random int4 keys, reduced to count and sum
SELECT count(*) AS n, sum(r.a1) AS sum_a1
FROM r, s
WHERE r.a1 = s.a1;
