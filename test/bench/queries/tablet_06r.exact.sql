-- the exact sums of tablet_06r, and the sums of sizes
SELECT bench_sum(sum(bench_hi(uniformf)), sum(bench_lo(uniformf))) AS sum_uniformf_exact,
	   bench_sum(sum(bench_hi(abs(uniformf))), sum(bench_lo(abs(uniformf)))) AS sum_uniformf_abs,
	   bench_sum(sum(bench_hi(normalf20)), sum(bench_lo(normalf20))) AS sum_normalf20_exact,
	   bench_sum(sum(bench_hi(abs(normalf20))), sum(bench_lo(abs(normalf20)))) AS sum_normalf20_abs
FROM test
WHERE (normalf20+40)>(uniformf-10);
