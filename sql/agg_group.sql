-- GROUP BY: every type of key, NULL keys, many keys, many groups.
CREATE TABLE agg_group (id int NOT NULL, b bool, i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, n numeric(8,2), u numeric, d date, ts timestamp, tz timestamptz, t text, v varchar(9), c char(7), c1 char(1), v1 varchar(1), long text, x int, y numeric(10,2));
INSERT INTO agg_group
SELECT i, nullif(i % 3, 2) = 0, nullif(i % 4, 3), nullif(i % 5, 4), nullif(i % 6, 5) * 10000000000, nullif(i % 7 + 1, 7) / 4.0, nullif(i % 8 + 1, 8) / 8.0, nullif(i % 9, 8) / 4.0, nullif(i % 10, 9) * 0.25,
	date '2024-01-01' + nullif(i % 11, 10), timestamp '2024-01-01' + interval '1 hour' * nullif(i % 12, 11), timestamptz '2024-01-01 UTC' + interval '1 hour' * nullif(i % 13, 12),
	nullif('t' || i % 14, 't13'), nullif('v' || i % 15, 'v14'), nullif('c' || i % 16, 'c15'), nullif(chr(65 + i % 17), 'Q'), nullif(chr(97 + i % 18), 'r'), 'a long text shared by groups, number ' || i % 19, i % 101, i % 1000 / 100.0
FROM generate_series(1, 40000) i;
ANALYZE agg_group;
SET datestyle = ISO;
SET timezone = 'UTC';
SET gpudb.force = on;
SET gpudb.debug_require = require;
\pset null '(null)'
SELECT b, count(*), sum(x), sum(y) FROM agg_group GROUP BY b ORDER BY b;
SELECT i2, count(*), sum(x), sum(y) FROM agg_group GROUP BY i2 ORDER BY i2;
SELECT i4, count(*), sum(x), sum(y) FROM agg_group GROUP BY i4 ORDER BY i4;
SELECT i8, count(*), sum(x), sum(y) FROM agg_group GROUP BY i8 ORDER BY i8;
SELECT f4, count(*), sum(x), sum(y) FROM agg_group GROUP BY f4 ORDER BY f4;
SELECT f8, count(*), sum(x), sum(y) FROM agg_group GROUP BY f8 ORDER BY f8;
SELECT n, count(*), sum(x), sum(y) FROM agg_group GROUP BY n ORDER BY n;
SELECT d, count(*), sum(x), sum(y) FROM agg_group GROUP BY d ORDER BY d;
SELECT ts, count(*), sum(x), sum(y) FROM agg_group GROUP BY ts ORDER BY ts;
SELECT tz, count(*), sum(x), sum(y) FROM agg_group GROUP BY tz ORDER BY tz;
SELECT t, count(*), sum(x), sum(y) FROM agg_group GROUP BY t ORDER BY t COLLATE "C";
SELECT v, count(*), sum(x), sum(y) FROM agg_group GROUP BY v ORDER BY v COLLATE "C";
SELECT c, count(*), sum(x), sum(y) FROM agg_group GROUP BY c ORDER BY c COLLATE "C";
SELECT c1, count(*), sum(x), sum(y) FROM agg_group GROUP BY c1 ORDER BY c1 COLLATE "C";
SELECT v1, count(*), sum(x), sum(y) FROM agg_group GROUP BY v1 ORDER BY v1 COLLATE "C";
SELECT long, count(*), sum(x), sum(y) FROM agg_group GROUP BY long ORDER BY long COLLATE "C";
SELECT b, i2, count(*), sum(x), avg(y), min(d), max(ts) FROM agg_group GROUP BY b, i2 ORDER BY b, i2;
SELECT c1, i4, t, count(*) FROM agg_group WHERE id <= 300 GROUP BY c1, i4, t ORDER BY count(*) DESC, c1, i4, t LIMIT 7;
-- 17 keys at once
SET work_mem = '64MB';
SELECT count(*), sum(c), sum(s) FROM (SELECT count(*) AS c, sum(x) AS s FROM agg_group GROUP BY b, i2, i4, i8, f4, f8, n, d, ts, tz, t, v, c, c1, v1, long, x) g;
SELECT b, i2, i4, i8, f4, f8, n, d, ts, tz, t, v, c, c1, v1, long, x, count(*) FROM agg_group WHERE id = 7777 GROUP BY b, i2, i4, i8, f4, f8, n, d, ts, tz, t, v, c, c1, v1, long, x;
-- expressions, constants, positions, repeated keys, keys that are not selected
SELECT i4 % 2 AS odd, i4 + i2 AS s, count(*) FROM agg_group GROUP BY i4 % 2, i4 + i2 ORDER BY 1, 2;
SELECT x > 50 AS big, t IS NULL AS no_t, count(*) FROM agg_group GROUP BY 1, 2 ORDER BY 1, 2;
SELECT -x % 3 AS r, y * 100 AS cents, count(*) FROM agg_group WHERE y < 0.05 GROUP BY 1, 2 ORDER BY 1, 2;
SELECT count(*) FROM agg_group GROUP BY i2 ORDER BY 1;
SELECT i2 FROM agg_group GROUP BY i2 ORDER BY 1;
SELECT DISTINCT i2 FROM agg_group ORDER BY 1;
SELECT DISTINCT b, i2 FROM agg_group ORDER BY 1, 2;
SELECT i2, i2 AS again, count(*) FROM agg_group GROUP BY i2, i2 ORDER BY 1;
SELECT 'x' AS constant, count(*) FROM agg_group GROUP BY 1;
SELECT i2, 1 AS one, count(*) FROM agg_group GROUP BY 1, 2 ORDER BY 1;
SELECT i2 FROM agg_group GROUP BY i2 HAVING sum(x) > 400000 ORDER BY i2;
-- many groups: the table grows
SELECT count(*), sum(c), sum(s), min(id), max(id) FROM (SELECT id, count(*) AS c, sum(x) AS s FROM agg_group GROUP BY id) g;
SELECT count(*), sum(c), max(l) FROM (SELECT t, id, count(*) AS c, max(x) AS l FROM agg_group GROUP BY id, t) g;
CREATE TABLE agg_group_many AS SELECT i AS id, i % 100000 AS k, (i % 100000)::numeric / 4 AS n, 'key ' || i % 100000 AS t, i AS v FROM generate_series(1, 150000) i;
ANALYZE agg_group_many;
SELECT count(*), sum(k), sum(c), sum(s) FROM (SELECT k, count(*) AS c, sum(v) AS s FROM agg_group_many GROUP BY k) g;
SELECT count(*), sum(c), sum(s), min(t COLLATE "C"), max(t COLLATE "C") FROM (SELECT t, count(*) AS c, sum(v) AS s FROM agg_group_many GROUP BY t) g;
SELECT k, count(*), sum(v), min(v), max(v) FROM agg_group_many GROUP BY k ORDER BY sum(v) DESC, k LIMIT 5;
SELECT t, k, count(*), sum(v) FROM agg_group_many GROUP BY t, k ORDER BY k DESC LIMIT 5;
SELECT k, sum(v) FROM agg_group_many GROUP BY k HAVING sum(v) BETWEEN 100000 AND 100010 ORDER BY k;
-- every group once, and one group with nearly all rows
SELECT count(*) FROM (SELECT id FROM agg_group_many GROUP BY id HAVING count(*) = 1) g;
SELECT CASE WHEN k < 99990 THEN -1 ELSE k END AS k, count(*), sum(v) FROM agg_group_many GROUP BY 1 ORDER BY 1;
-- little memory is no error
RESET work_mem;
SET gpudb.debug_require = allow;
SELECT count(*), sum(k), sum(c), sum(s) FROM (SELECT k, count(*) AS c, sum(v) AS s FROM agg_group_many GROUP BY k) g;
SET work_mem = '64kB';
-- what groups may take is gpudb.join_memory, or PostgreSQL's hash memory where that is more
SET gpudb.force = off;
SELECT reason = 'memory_limit' AS too_many FROM gpudb.why_not('SELECT k, count(*) FROM agg_group_many GROUP BY k') WHERE part = 'aggregate';
SET gpudb.join_memory = 1;
SELECT reason = 'memory_limit' AS too_many FROM gpudb.why_not('SELECT k, count(*) FROM agg_group_many GROUP BY k') WHERE part = 'aggregate';
SET work_mem = '64MB';
SELECT reason = 'memory_limit' AS too_many FROM gpudb.why_not('SELECT k, count(*) FROM agg_group_many GROUP BY k') WHERE part = 'aggregate';
SET work_mem = '64kB';
SET gpudb.force = on;
SELECT explain FROM explain('SELECT t, count(*) FROM agg_group_many GROUP BY t', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') WHERE explain LIKE '%Fallback%';
SELECT count(*), sum(c), sum(s) FROM (SELECT t, count(*) AS c, sum(v) AS s FROM agg_group_many GROUP BY t) g;
SELECT k % 5 AS k, count(*), sum(v) FROM agg_group_many GROUP BY 1 ORDER BY 1;
RESET work_mem;
RESET gpudb.join_memory;
-- numeric keys of several display scales, and what stays with PostgreSQL
SET gpudb.debug_require = allow;
SELECT u, count(*) FROM agg_group GROUP BY u ORDER BY u;
SELECT n, count(*) FROM agg_group_many WHERE k < 5 GROUP BY n ORDER BY n;
SELECT b, i2, count(*), grouping(b, i2) FROM agg_group GROUP BY ROLLUP (b, i2) ORDER BY grouping(b, i2), b, i2;
SELECT b, c1, count(*) FROM agg_group WHERE id < 50 GROUP BY GROUPING SETS ((b), (c1), ()) ORDER BY b, c1, 3;
SELECT long::bytea, count(*) FROM agg_group GROUP BY 1 ORDER BY 1 LIMIT 1;
DROP TABLE agg_group, agg_group_many;
