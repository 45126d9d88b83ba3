-- He: non-equi join by 4 attributes, reduced to count and sums
SELECT count(*) AS n, sum(r32.a1) AS sum_r, sum(s32.a1) AS sum_s
FROM r32, s32
WHERE r32.a1 <= s32.a1 AND r32.a2 <= s32.a2 AND r32.a3 <= s32.a3 AND r32.a4 <= s32.a4
	AND r32.a2 BETWEEN :lo AND :hi
	AND s32.a2 BETWEEN :lo2 AND :hi2;
