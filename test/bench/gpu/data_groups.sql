--
-- Keys with few and many groups, evenly spread and skewed: three tables of one shape, since narrow rows are what
-- limits a GROUP BY least.  suite.sh runs the INSERTs in parts, in several sessions; alone:
--
--   psql -v n=50000000 -f data_groups.sql
--
-- uniform   every group equally likely
-- zipf      bounded Pareto with exponent 1.1, rounded down: the smallest key has some 9 % of 1 M groups' rows
-- one99     key 0 has 99 % of the rows, the others share the rest
--
\ir ../data_hash.sql

DROP TABLE IF EXISTS groups_uniform, groups_zipf, groups_one99;
CREATE TABLE groups_uniform(k1 int, k100 int, k1k int, k10k int, k1m int, k10m int, v int);
CREATE TABLE groups_zipf(k1 int, k100 int, k1k int, k10k int, k1m int, k10m int, v int);
CREATE TABLE groups_one99(k1 int, k100 int, k1k int, k10k int, k1m int, k10m int, v int);

INSERT INTO groups_uniform
SELECT 0, floor(100 * u)::int, floor(1000 * u)::int, floor(10000 * u)::int, floor(1000000 * u)::int, floor(10000000 * u)::int,
	   floor(1000 * bench_u(r, 502))::int
FROM (SELECT r, bench_u(r, 501) AS u FROM generate_series(1, :n) r OFFSET 0) q;

-- the n-th key is as likely as n^-1.1: u is drawn up to the last group's share, 1 - (groups + 1)^-0.1
INSERT INTO groups_zipf
SELECT 0, floor((1 - u * 0.369670166) ^ -10)::int - 1, floor((1 - u * 0.498862858) ^ -10)::int - 1,
	   floor((1 - u * 0.601896809) ^ -10)::int - 1, floor((1 - u * 0.748811381) ^ -10)::int - 1, floor((1 - u * 0.800473770) ^ -10)::int - 1,
	   floor(1000 * bench_u(r, 504))::int
FROM (SELECT r, bench_u(r, 503) AS u FROM generate_series(1, :n) r OFFSET 0) q;

INSERT INTO groups_one99
SELECT 0, floor(100 * u)::int, floor(1000 * u)::int, floor(10000 * u)::int, floor(1000000 * u)::int, floor(10000000 * u)::int,
	   floor(1000 * bench_u(r, 506))::int
FROM (SELECT r, greatest(0, 100 * bench_u(r, 505) - 99) AS u FROM generate_series(1, :n) r OFFSET 0) q;

VACUUM (ANALYZE, FREEZE) groups_uniform;
VACUUM (ANALYZE, FREEZE) groups_zipf;
VACUUM (ANALYZE, FREEZE) groups_one99;
