-- He: equi-join of random int4 keys, few of them in both
-- 16 M rows, CPU, GPU and both: 3640, 1687, 1642 ms (hash); 4000, 891, 880 (index); 5562, 2809, 2709 (sort)
SELECT r.a1
FROM r, s
WHERE r.a1 = s.a1;
