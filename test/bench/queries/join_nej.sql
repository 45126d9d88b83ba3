-- He: non-equi join by 32 attributes, a tenth of each side
-- 1 M rows, CPU, GPU and both: 45578, 3906, 3828 ms
SELECT r32.a1
FROM r32, s32
WHERE r32.a1 <= s32.a1 AND r32.a2 <= s32.a2 AND r32.a3 <= s32.a3 AND r32.a4 <= s32.a4
	AND r32.a5 <= s32.a5 AND r32.a6 <= s32.a6 AND r32.a7 <= s32.a7 AND r32.a8 <= s32.a8
	AND r32.a9 <= s32.a9 AND r32.a10 <= s32.a10 AND r32.a11 <= s32.a11 AND r32.a12 <= s32.a12
	AND r32.a13 <= s32.a13 AND r32.a14 <= s32.a14 AND r32.a15 <= s32.a15 AND r32.a16 <= s32.a16
	AND r32.a17 <= s32.a17 AND r32.a18 <= s32.a18 AND r32.a19 <= s32.a19 AND r32.a20 <= s32.a20
	AND r32.a21 <= s32.a21 AND r32.a22 <= s32.a22 AND r32.a23 <= s32.a23 AND r32.a24 <= s32.a24
	AND r32.a25 <= s32.a25 AND r32.a26 <= s32.a26 AND r32.a27 <= s32.a27 AND r32.a28 <= s32.a28
	AND r32.a29 <= s32.a29 AND r32.a30 <= s32.a30 AND r32.a31 <= s32.a31 AND r32.a32 <= s32.a32
	AND r32.a2 BETWEEN :lo AND :hi
	AND s32.a2 BETWEEN :lo2 AND :hi2;
