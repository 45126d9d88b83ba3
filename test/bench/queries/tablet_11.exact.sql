-- the exact sum of tablet_11, and the sum of sizes
SELECT bench_sum(sum(bench_hi(normalf20)), sum(bench_lo(normalf20))) AS s_exact,
	   bench_sum(sum(bench_hi(abs(normalf20))), sum(bench_lo(abs(normalf20)))) AS s_abs
FROM test;
