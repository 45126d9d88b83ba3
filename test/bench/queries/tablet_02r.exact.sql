-- the exact sums of tablet_02r, and the sums of sizes
SELECT bench_sum(sum(bench_hi(uniformf)), sum(bench_lo(uniformf))) AS sum_uniformf_exact,
	   bench_sum(sum(bench_hi(abs(uniformf))), sum(bench_lo(abs(uniformf)))) AS sum_uniformf_abs,
	   bench_sum(sum(bench_hi(normalf5)), sum(bench_lo(normalf5))) AS sum_normalf5_exact,
	   bench_sum(sum(bench_hi(abs(normalf5))), sum(bench_lo(abs(normalf5)))) AS sum_normalf5_abs
FROM test
WHERE uniformf>60 AND normalf5<0;
