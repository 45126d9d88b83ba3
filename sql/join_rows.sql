-- Rows of joins: as columns for a further join, and spooled for what PostgreSQL does with them.
CREATE TABLE join_rows_f (id int, k int, t text, n numeric, iv interval, v varchar(5));
INSERT INTO join_rows_f SELECT i, CASE WHEN i % 10 = 0 THEN NULL ELSE i % 97 END, 'k' || i % 30, i % 13 * 0.5, make_interval(mins => i % 100), 'v' || i % 9
FROM generate_series(1, 5000) i;
CREATE TABLE join_rows_u (k int PRIMARY KEY, name text, v numeric(10,2), f float4, u uuid, c char(8), iv interval, b bool, ts timestamp);
INSERT INTO join_rows_u SELECT i, CASE WHEN i % 7 > 0 THEN 'name' || i % 10 END, i * 1.25, i / 4.0, md5(i::text)::uuid, 'c' || i % 5, make_interval(days => i), i % 2 = 0,
	'2024-01-01'::timestamp + i * interval '1 hour' FROM generate_series(1, 60) i;
CREATE TABLE join_rows_m (k int, w int, n numeric);
INSERT INTO join_rows_m SELECT i % 50, i, (i % 9 * 0.50)::numeric(5,1 ) FROM generate_series(1, 150) i;
INSERT INTO join_rows_m VALUES (NULL, 7, 1.250), (3, NULL, NULL);
ANALYZE join_rows_f, join_rows_u, join_rows_m;
SET gpudb.force = on;
SET gpudb.debug_require = require;
SET max_parallel_workers_per_gather = 0;
\pset null '(null)'
\pset format unaligned
SELECT explain('SELECT f.id, m.w FROM join_rows_f f LEFT JOIN join_rows_m m ON m.k = f.k AND m.w < f.id WHERE f.id < 300');
SELECT f.id, f.n, f.v, u.*, m.* FROM join_rows_f f JOIN join_rows_u u USING (k) LEFT JOIN join_rows_m m ON m.k = f.k AND m.w < f.id WHERE f.id < 40 ORDER BY f.id, m.w;
SELECT f.id, u.name FROM join_rows_f f LEFT JOIN join_rows_u u ON u.k = f.k AND u.v > 10 WHERE f.id < 20 ORDER BY 1;
SELECT f.id, f.iv FROM join_rows_f f WHERE EXISTS (SELECT FROM join_rows_m m WHERE m.k = f.k AND m.w > f.id * 10) ORDER BY 1;
SELECT f.id, f.k FROM join_rows_f f WHERE NOT EXISTS (SELECT FROM join_rows_m m WHERE m.k = f.k) AND f.id < 100 ORDER BY 1;
SELECT count(*), min(q.id), max(q.id), md5(string_agg(q.name || q.w, ',' ORDER BY q.id, q.w)) FROM (SELECT f.id, u.name, m.w FROM join_rows_f f JOIN join_rows_u u USING (k) JOIN join_rows_m m ON m.k = f.k) q;
-- one table is made of what two others have joined
SELECT count(*), sum(q.w), sum(q.v), max(q.name) FROM join_rows_f f JOIN (SELECT u.k, u.v, u.name, m.w FROM join_rows_u u JOIN join_rows_m m ON m.k = u.k WHERE m.w > 20) q ON q.k = f.k;
-- with a LIMIT, as the inner side of a loop, in a cursor, and interrupted
SELECT count(*) FROM (SELECT u.name FROM join_rows_f f JOIN join_rows_u u USING (k) LIMIT 7) q;
SELECT g, (SELECT count(*) FROM (SELECT u.name, f.id FROM join_rows_f f JOIN join_rows_u u USING (k) WHERE f.id > g * 100 AND u.k < g OFFSET 0) q) FROM generate_series(1, 50, 10) g;
BEGIN;
DECLARE join_rows_cursor CURSOR FOR SELECT f.id, u.v FROM join_rows_f f JOIN join_rows_u u USING (k) WHERE f.id < 12;
FETCH 2 FROM join_rows_cursor;
FETCH ALL FROM join_rows_cursor;
COMMIT;
SET gpudb.debug_yield = 9;
SELECT f.id, u.name, m.w FROM join_rows_f f JOIN join_rows_u u USING (k) LEFT JOIN join_rows_m m ON m.k = f.k AND m.w < f.id WHERE f.id BETWEEN 95 AND 105 ORDER BY 1, 3;
RESET gpudb.debug_yield;
-- texts of the relation that is read, of any length
CREATE TABLE join_rows_t (id int, k int, t text, c char(40), n name, far text, e text COLLATE "C");
ALTER TABLE join_rows_t ALTER COLUMN far SET STORAGE EXTERNAL;
INSERT INTO join_rows_t SELECT i, i % 70, 'text ' || i, CASE WHEN i % 5 > 0 THEN 'padded ' || i END, 'name' || i, CASE i % 50 WHEN 0 THEN repeat(md5(i::text), 100) WHEN 1 THEN NULL ELSE 'near' || i END, repeat('e', i % 3)
FROM generate_series(1, 3000) i;
ANALYZE join_rows_t;
SELECT explain FROM explain('SELECT t.t, t.c, t.n, t.far, t.e, u.name FROM join_rows_t t JOIN join_rows_u u USING (k)') WHERE explain !~ 'Device';
SELECT t.id, t.t, t.c, t.n, left(t.far, 10), length(t.far), t.e, u.name FROM join_rows_t t LEFT JOIN join_rows_u u USING (k) WHERE t.id BETWEEN 98 AND 106 OR t.id IN (50, 2950) ORDER BY t.id;
SELECT count(*), md5(string_agg(t || coalesce(c, '') || n || coalesce(far, '') || e || name || w, ',' ORDER BY id, w)) FROM (SELECT t.*, u.name, m.w FROM join_rows_t t JOIN join_rows_u u USING (k) LEFT JOIN join_rows_m m ON m.k = t.k OFFSET 0) q;
-- as columns of a further table
SELECT count(*), sum(length(q.far)), max(q.t), min(q.c), max(q.n), sum(length(q.c)) FROM join_rows_f f JOIN (SELECT t.k, t.t, t.c, t.n, t.far, u.v FROM join_rows_t t JOIN join_rows_u u USING (k) WHERE t.id < 400) q ON q.k = f.k AND q.c > 'padded 2';
SET gpudb.debug_require = allow;
SET gpudb.enabled = off;
SELECT count(*), md5(string_agg(t || coalesce(c, '') || n || coalesce(far, '') || e || name || w, ',' ORDER BY id, w)) FROM (SELECT t.*, u.name, m.w FROM join_rows_t t JOIN join_rows_u u USING (k) LEFT JOIN join_rows_m m ON m.k = t.k OFFSET 0) q;
SELECT count(*), sum(length(q.far)), max(q.t), min(q.c), max(q.n), sum(length(q.c)) FROM join_rows_f f JOIN (SELECT t.k, t.t, t.c, t.n, t.far, u.v FROM join_rows_t t JOIN join_rows_u u USING (k) WHERE t.id < 400) q ON q.k = f.k AND q.c > 'padded 2';
RESET gpudb.enabled;
SET gpudb.debug_require = require;
DROP TABLE join_rows_t;
-- what the device cannot know is PostgreSQL's
SET gpudb.debug_require = allow;
INSERT INTO join_rows_m VALUES (3, 999, 'NaN');
SELECT f.id, m.n FROM join_rows_f f JOIN join_rows_m m USING (k) WHERE f.id < 10 ORDER BY 1, 2;
-- where a few rows are expected it would go over all pairs of many; and so it does where it may not hash
CREATE TABLE join_rows_few (id int, a int, b int, n numeric);
INSERT INTO join_rows_few SELECT i, 1, 1, 'NaN' FROM generate_series(1, 1000) i;
CREATE TABLE join_rows_query AS SELECT 'SELECT x.id FROM join_rows_few x JOIN join_rows_few y ON x.id = y.id AND x.n >= y.n WHERE x.a = 1 AND x.b = 1 AND y.a = 1' AS sql;
SELECT explain FROM join_rows_query, explain(sql, 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') WHERE explain ~ 'Join|Loop|Fallback|Cond';
SET gpudb.enabled = off;
SELECT explain FROM join_rows_query, explain(sql) WHERE explain ~ 'Join|Loop|Cond';
RESET gpudb.enabled;
SET enable_hashjoin = off;
SELECT explain FROM join_rows_query, explain(sql, 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') WHERE explain ~ 'Join|Loop|Fallback|Cond';
RESET enable_hashjoin;
-- in the order that it would have chosen without what is forced
INSERT INTO join_rows_few SELECT i, i, i, i FROM generate_series(1, 1000) i;
ANALYZE join_rows_few;
CREATE TABLE join_rows_nan AS SELECT i % 10 AS id, numeric 'NaN' AS n FROM generate_series(1, 1000) i;
ANALYZE join_rows_nan;
UPDATE join_rows_query SET sql = 'SELECT count(*) FROM join_rows_few x JOIN join_rows_few y ON x.id = y.id AND x.a = y.a AND x.b = y.b LEFT JOIN join_rows_few z ON z.id < x.id'
	' JOIN join_rows_nan m ON m.n = x.id LEFT JOIN join_rows_nan o ON o.id = m.id';
SET enable_mergejoin = off;
SELECT explain FROM join_rows_query, explain(sql, 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') WHERE explain ~ 'Hash.* Join|Loop|Hash Cond|Filter';
SET gpudb.enabled = off;
SELECT explain FROM join_rows_query, explain(sql) WHERE explain ~ 'Join|Loop|Cond|Filter';
RESET gpudb.enabled;
RESET enable_mergejoin;
DROP TABLE join_rows_few, join_rows_nan, join_rows_query;
-- a text that an integer holds, beside a name that is known only when it runs
CREATE TABLE join_rows_s (c char(3), v varchar(5));
INSERT INTO join_rows_s VALUES ('abc', 'abc'), ('b', 'b'), (NULL, NULL);
ANALYZE join_rows_s;
PREPARE join_rows_name (name) AS SELECT v FROM join_rows_s WHERE v = $1;
SET plan_cache_mode = force_generic_plan;
EXECUTE join_rows_name ('abc');
EXECUTE join_rows_name ('no name that long');
RESET plan_cache_mode;
DROP TABLE join_rows_s;
DROP TABLE join_rows_f, join_rows_u, join_rows_m;
