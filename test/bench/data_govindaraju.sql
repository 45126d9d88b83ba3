--
-- Govindaraju et al. 2004 and 2005: a trace of TCP/IP traffic.
--
--   psql -v n=1000000 -f data_govindaraju.sql
--
-- The trace itself was never published; these columns have its shape:
--   data_count       bounded Pareto on [40, 2^19), exponent 0.5: median about 160, a heavy tail
--   data_loss        exponential, mean 0.05
--   flow_rate        lognormal, median 160, sigma 1.2 (so that data_count > flow_rate selects about half)
--   retransmissions  whole numbers, exponential with mean 20, rounded down
-- The columns are independent of each other and of the row's place.
-- o and i are the two sides of the joins: n rows and n/100 rows with keys
-- uniform on [0, 10000), so that an equi-join selects 1e-4 of all pairs.
--
\if :{?n}
\else
\set n 1000000
\endif
\ir data_hash.sql

DROP TABLE IF EXISTS tcpip, o, i, tcpip_constants;

CREATE TABLE tcpip(id int, data_count int, data_loss float4, flow_rate float4, retransmissions float4);
INSERT INTO tcpip
SELECT r,
	   least(524287, floor(40 / (1 - bench_u(r, 101) * (1 - sqrt(40.0::float8 / 524288))) ^ 2))::int,
	   (-0.05 * ln(bench_u(r, 102)))::float4,
	   (160 * exp(1.2 * bench_normal(r, 103)))::float4,
	   floor(-20 * ln(bench_u(r, 105)))::float4
FROM generate_series(1, :n) r;

CREATE TABLE o(id int, k int);
INSERT INTO o SELECT r, floor(10000 * bench_u(r, 111))::int FROM generate_series(1, :n) r;
CREATE TABLE i(id int, k int);
INSERT INTO i SELECT r, floor(10000 * bench_u(r, 112))::int FROM generate_series(1, greatest(1, :n / 100)) r;
CREATE INDEX o_k ON o(k);

VACUUM (ANALYZE, FREEZE) tcpip;
VACUUM (ANALYZE, FREEZE) o;
VACUUM (ANALYZE, FREEZE) i;
\ir constants_govindaraju.sql
