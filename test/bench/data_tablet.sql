--
-- Bakkum and Chakradhar: the table of the tablet paper, 8 M rows.
--
--   psql -v n=8000000 -f data_tablet.sql
--
-- uniform on (-100, 100), normal with sigma 5 and 20 by Box and Muller, one set
-- of three as int (cut toward zero) and an independent one as float4.
--
\if :{?n}
\else
\set n 8000000
\endif
\ir data_hash.sql

DROP TABLE IF EXISTS test;
CREATE TABLE test(id int, uniformi int, normali5 int, normali20 int,
				  uniformf float4, normalf5 float4, normalf20 float4);
INSERT INTO test
SELECT r,
	   trunc(200 * bench_u(r, 301) - 100)::int,
	   trunc(5 * bench_normal(r, 302))::int,
	   trunc(20 * bench_normal(r, 304))::int,
	   (200 * bench_u(r, 306) - 100)::float4,
	   (5 * bench_normal(r, 307))::float4,
	   (20 * bench_normal(r, 309))::float4
FROM generate_series(1, :n) r;
VACUUM (ANALYZE, FREEZE) test;
