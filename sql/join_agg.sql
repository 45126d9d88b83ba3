-- Aggregates over joins, in one pass: the rows of one relation look for those of others.
CREATE TABLE join_f (id int, k int, k2 bigint, t text, n numeric, x float8, d date);
INSERT INTO join_f SELECT i, CASE WHEN i % 10 = 0 THEN NULL ELSE i % 97 END, i % 5, 'k' || i % 30, i % 13 * 0.5, i % 7, '2020-01-01'::date + i % 50
FROM generate_series(1, 20000) i;
CREATE TABLE join_u (k int PRIMARY KEY, name text, v numeric(10,2));
INSERT INTO join_u SELECT i, 'name' || i % 10, i * 1.25 FROM generate_series(1, 60) i;
CREATE TABLE join_m (k int, k2 int, t text, n numeric, w int);
INSERT INTO join_m SELECT CASE WHEN i % 11 = 0 THEN NULL ELSE i % 50 END, i % 5, 'k' || i % 40, i % 9 * 0.50, i FROM generate_series(1, 300) i;
ANALYZE join_f, join_u, join_m;
SET gpudb.force = on;
SET gpudb.debug_require = require;
SET max_parallel_workers_per_gather = 0;
\pset null '(null)'
\pset format unaligned
SELECT explain('SELECT name, count(*), sum(v) FROM join_f f JOIN join_u u USING (k) LEFT JOIN join_m m ON m.k = f.k AND m.w < f.id WHERE f.id > 100 GROUP BY name');
-- inner, left, semi and anti joins, by keys that are unique and others, with further conditions
SELECT name, count(*), sum(v), min(x), max(name) FROM join_f f JOIN join_u u USING (k) WHERE f.id>100 GROUP BY name ORDER BY 1, 2;
SELECT count(*), sum(v), sum(w) FROM join_f f JOIN join_u u USING (k) JOIN join_m m ON m.k=f.k;
SELECT f.k2, count(*), sum(w) FROM join_f f JOIN join_m m ON m.k=f.k AND m.k2=f.k2 GROUP BY 1 ORDER BY 1, 2;
SELECT f.k2, count(*), sum(w), count(w) FROM join_f f LEFT JOIN join_m m ON m.k=f.k AND m.k2=f.k2 GROUP BY 1 ORDER BY 1, 2;
SELECT f.k2, count(*), sum(w), count(w) FROM join_f f LEFT JOIN join_m m ON m.k=f.k AND m.w<f.id GROUP BY 1 ORDER BY 1, 2;
SELECT count(*), sum(v), count(name) FROM join_f f LEFT JOIN join_u u ON f.k=u.k AND u.v>20;
SELECT count(*), sum(v), max(u.v), count(u.v) FROM join_f f LEFT JOIN join_u u ON f.k=u.k AND f.n*10>u.v;
SELECT count(*), sum(v), count(name) FROM join_f f LEFT JOIN join_u u ON f.k=u.k WHERE u.v IS NULL OR u.v > 30;
SELECT count(*), sum(f.id) FROM join_f f WHERE EXISTS (SELECT FROM join_m m WHERE m.k=f.k);
SELECT count(*), sum(f.id) FROM join_f f WHERE NOT EXISTS (SELECT FROM join_m m WHERE m.k=f.k);
SELECT count(*), sum(f.id) FROM join_f f WHERE EXISTS (SELECT FROM join_m m WHERE m.k=f.k AND m.w>f.x*40);
SELECT count(*), sum(f.id) FROM join_f f WHERE NOT EXISTS (SELECT FROM join_m m WHERE m.k=f.k AND m.w>f.x*40);
SELECT count(*), sum(f.id) FROM join_f f WHERE f.t IN (SELECT t FROM join_m m WHERE w<100);
SELECT m.t, count(*), sum(w) FROM join_f f JOIN join_m m ON m.t=f.t GROUP BY 1 ORDER BY 1, 2;
SELECT count(*), sum(w) FROM join_f f JOIN join_m m ON m.t=f.t AND m.n=f.n;
SELECT count(*), sum(w), sum(m.n), sum(f.n+m.n) FROM join_f f JOIN join_m m ON m.n=f.n;
SELECT count(*), sum(w) FROM join_f f JOIN join_m m ON f.x = m.w::float8;
SELECT count(*), sum(w), sum(v) FROM join_f f JOIN join_m m ON m.k=f.k JOIN join_u u ON u.k = m.w;
SELECT count(*), sum(w), sum(v) FROM join_f f LEFT JOIN join_m m ON m.k=f.k LEFT JOIN join_u u ON u.k = m.w;
SELECT count(*), sum(a.w+b.w) FROM join_f f JOIN join_m a ON a.k=f.k JOIN join_m b ON b.k2=f.k2 WHERE f.id < 500;
SELECT count(*), sum(a.w+b.w), count(b.w) FROM join_f f LEFT JOIN join_m a ON a.k=f.k LEFT JOIN join_m b ON b.k2=f.k2 AND b.w < a.w WHERE f.id < 500;
SELECT count(*), sum(w) FROM join_f f JOIN join_m m ON m.w BETWEEN f.id AND f.id+2;
SELECT count(*), sum(w) FROM join_f f JOIN join_m m ON true WHERE f.id < 50;
SELECT d, count(*), max(name) FROM join_f f JOIN join_u u ON u.k = f.k JOIN join_m m ON m.k2 = f.k2 AND m.w > 200 GROUP BY d HAVING count(*) > 100 ORDER BY 1, 2;
SELECT count(*) FROM join_f f JOIN join_u u ON u.k = f.k WHERE f.id < 0;
SELECT count(*), sum(f.id) FROM join_f f WHERE NOT EXISTS (SELECT FROM join_m m WHERE m.k=f.k AND m.w < 0);
SELECT m.k, u.name, sum(u.v * m.n), avg(f.x) FROM join_f f JOIN join_m m ON m.k=f.k JOIN join_u u ON u.k=f.k GROUP BY 1,2 ORDER BY 1, 2;
SELECT count(*), sum(f.id), sum(length(u.name)) FROM join_f f JOIN join_u u ON u.k=f.k AND left(u.name, 5) = 'name3';
-- the same, interrupted after so many instructions
SET gpudb.debug_yield = 5;
SELECT count(*), sum(v), sum(w) FROM join_f f JOIN join_u u USING (k) JOIN join_m m ON m.k=f.k;
SELECT f.k2, count(*), sum(w), count(w) FROM join_f f LEFT JOIN join_m m ON m.k=f.k AND m.w<f.id GROUP BY 1 ORDER BY 1, 2;
SELECT count(*), sum(f.id) FROM join_f f WHERE EXISTS (SELECT FROM join_m m WHERE m.k=f.k AND m.w>f.x*40);
SELECT count(*), sum(f.id) FROM join_f f WHERE NOT EXISTS (SELECT FROM join_m m WHERE m.k=f.k AND m.w>f.x*40);
SELECT count(*), sum(w), sum(v) FROM join_f f LEFT JOIN join_m m ON m.k=f.k LEFT JOIN join_u u ON u.k = m.w;
SELECT count(*), sum(a.w+b.w), count(b.w) FROM join_f f LEFT JOIN join_m a ON a.k=f.k LEFT JOIN join_m b ON b.k2=f.k2 AND b.w < a.w WHERE f.id < 500;
RESET gpudb.debug_yield;
-- keys that are equal though their types or bytes differ
CREATE TABLE join_a (i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, n numeric, n2 numeric(12,2), c char(12), v varchar(12), t text, s char(3), d date, ts timestamp, u uuid, iv interval, b bool);
INSERT INTO join_a SELECT i % 100 - 50, i % 100 - 50, i % 100 - 50, (ARRAY['-0', '0', 'NaN', 'Infinity', '1.5'])[i % 5 + 1]::float4, (ARRAY['0', '-0', 'NaN', '-Infinity', '1.5'])[i % 5 + 1]::float8,
	(i % 40) / 8.0, (i % 40) / 4.0, 'c' || i % 20, 'c' || i % 20, 'c' || i % 20, 's' || i % 4, '2024-01-01'::date + i % 30, '2024-01-01'::timestamp + i % 30 * interval '1 day',
	md5((i % 25)::text)::uuid, make_interval(days => i % 12), i % 3 = 0 FROM generate_series(1, 500) i;
CREATE TABLE join_b AS SELECT * FROM join_a WHERE i4 > -30;
INSERT INTO join_b (i4, c, v, t, s) VALUES (NULL, 'c1  ', 'c1 ', 'c1 ', 's1'), (7, NULL, NULL, NULL, NULL);
INSERT INTO join_b (i8, n, i4) VALUES (9223372036854775807, 1e20, 2147483647), (-9223372036854775808, -1e20, -2147483648);
ANALYZE join_a, join_b;
SELECT count(*), sum(b.i4) FROM join_a a JOIN join_b b ON a.i2 = b.i4;
SELECT count(*), sum(b.i4) FROM join_a a JOIN join_b b ON a.i8 = b.i2;
SELECT count(*), sum(b.i8) FROM join_a a JOIN join_b b ON a.i4 = b.i8;
SELECT count(*), sum(b.i4) FROM join_a a JOIN join_b b ON a.f4 = b.f8;
SELECT count(*), sum(b.i4) FROM join_a a JOIN join_b b ON a.f8 = b.f8 AND a.f4 = b.f4;
SELECT count(*), sum(b.n), sum(a.n) FROM join_a a JOIN join_b b ON a.n = b.n2;
SELECT count(*), sum(b.n) FROM join_a a JOIN join_b b ON a.n2 = b.n;
SELECT count(*), sum(b.n) FROM join_a a JOIN join_b b ON a.i4 = b.n;
SELECT count(*), sum(b.i4) FROM join_a a JOIN join_b b ON a.f8 = b.n2;
SELECT count(*), sum(b.i4), sum(length(b.c)) FROM join_a a JOIN join_b b ON a.c = b.c;
SELECT count(*), sum(b.i4), sum(length(b.v)) FROM join_a a JOIN join_b b ON a.v = b.t;
SELECT count(*), sum(b.i4) FROM join_a a JOIN join_b b ON a.t = b.v AND a.s = b.s;
SELECT count(*), sum(b.i4) FROM join_a a JOIN join_b b ON a.s = b.t;
SELECT count(*), sum(b.i4) FROM join_a a JOIN join_b b ON a.d = b.d AND a.ts = b.ts;
SELECT count(*), sum(b.i4) FROM join_a a JOIN join_b b ON a.d = b.ts AND a.b = b.b;
SELECT count(*), sum(b.i4) FROM join_a a JOIN join_b b ON a.u = b.u;
SELECT count(*), sum(b.i4) FROM join_a a JOIN join_b b ON a.iv = b.iv;
SELECT count(*), sum(b.i4) FROM join_a a JOIN join_b b ON a.i4 + 1 = b.i4 AND a.i8 * 2 = b.i8;
SELECT count(*), count(b.n2), sum(b.n2) FROM join_a a LEFT JOIN join_b b ON b.n2 = a.n2 * 4 / 4 AND b.i4 > 40;
SELECT count(*), count(b.n2), sum(b.n2) FROM join_a a LEFT JOIN join_b b ON b.n2 = a.n2 AND b.n2 = a.n * 2 AND b.i4 > 40;
SELECT b.s, b.b, b.d, max(b.v), min(b.ts), sum(b.n + a.n2) FROM join_a a JOIN join_b b ON a.i4 = b.i4 AND a.d = b.d GROUP BY 1, 2, 3 ORDER BY 1, 2, 3 LIMIT 20;
-- one key has nearly all rows; no rows on either side; no rows that match
CREATE TABLE join_skew AS SELECT CASE WHEN i % 1000 = 0 THEN i ELSE 1 END AS k, i AS v FROM generate_series(1, 30000) i;
ANALYZE join_skew;
SELECT count(*), sum(s.v), max(m.w) FROM join_m m JOIN join_skew s ON s.k = m.w;
SELECT count(*), sum(m.w) FROM join_skew s JOIN join_m m ON s.k = m.w;
SELECT count(*), sum(m.w) FROM join_m m WHERE EXISTS (SELECT FROM join_skew s WHERE s.k = m.w AND s.v > m.w + 29990);
-- few of the words that there may be have rows, and these several
CREATE TABLE join_sparse AS SELECT i / 2 * 100 AS k, i AS v FROM generate_series(1, 4000) i;
ANALYZE join_sparse;
SELECT count(*), sum(p.v), sum(s.v) FROM join_skew s JOIN join_sparse p ON p.k = s.v;
SELECT count(*), count(p.k), sum(p.v) FROM join_skew s LEFT JOIN join_sparse p ON p.k = s.v AND p.v % 3 = 0;
CREATE TABLE join_none (k int, v int);
ANALYZE join_none;
SELECT count(*), sum(n.v) FROM join_f f JOIN join_none n ON n.k = f.k;
SELECT count(*), sum(n.v), count(n.k) FROM join_f f LEFT JOIN join_none n ON n.k = f.k;
SELECT count(*), sum(f.k) FROM join_none n JOIN join_f f ON n.k = f.k;
SELECT count(*) FROM join_f f WHERE NOT EXISTS (SELECT FROM join_none n WHERE n.k = f.k);
SELECT count(*) FROM join_f f JOIN join_none n ON true;
-- groups by texts of which a table has many, alone and beside those of the relation that is read
CREATE TABLE join_big AS SELECT i AS k, i::text AS t, i * 0.5 AS n FROM generate_series(1, 100000) i;
ANALYZE join_big;
SELECT b.t, count(*), sum(m.w) FROM join_m m JOIN join_big b ON b.k = m.w * 7 GROUP BY 1 ORDER BY 1 LIMIT 4;
SELECT left(b.t, 2), count(*), sum(m.w) FROM join_m m LEFT JOIN join_big b ON b.k = m.w AND b.k > 50 GROUP BY 1 ORDER BY 1 DESC LIMIT 4;
-- room for the groups of all threads, however they share them
SET work_mem = '32MB';
SELECT m.t, b.t, count(*), sum(f.id) FROM join_f f JOIN join_m m ON m.k = f.k JOIN join_big b ON b.k = f.id GROUP BY 1, 2 ORDER BY 2, 1 LIMIT 4;
RESET work_mem;
-- a table that is larger than it may be is left to PostgreSQL; so is what a device cannot know
SET gpudb.join_memory = '1MB';
SET gpudb.debug_require = allow;
SELECT count(*), sum(b.k), sum(b.n), max(b.t) FROM join_m m LEFT JOIN join_big b ON b.k = m.w;
SELECT regexp_replace(explain, '^ *', '') FROM explain('SELECT count(*), sum(b.k), sum(b.n), max(b.t) FROM join_m m LEFT JOIN join_big b ON b.k = m.w', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') WHERE explain LIKE '%Fallback%';
RESET gpudb.join_memory;
INSERT INTO join_u VALUES (61, 'NaN', 'NaN');
SELECT count(*), sum(v), max(name) FROM join_f f JOIN join_u u USING (k);
SELECT count(*), sum(1 / (u.k - 61)) FROM join_f f JOIN join_u u USING (k);
DELETE FROM join_u WHERE k = 61;
SELECT count(*), sum(1 / (u.k - 61)) FROM join_f f JOIN join_u u USING (k);
-- what PostgreSQL would not have looked at raises no error
SELECT count(*) FROM join_f f LEFT JOIN (SELECT k FROM join_u WHERE 1 / (k - 5) > 100) u ON u.k = f.k WHERE f.id < 0;
-- prepared, with parameters, and again with other rows
SET gpudb.debug_require = require;
PREPARE join_p (int, text) AS SELECT count(*), sum(u.v), max(m.w) FROM join_f f JOIN join_u u USING (k) LEFT JOIN join_m m ON m.k = f.k AND m.w < $1 WHERE f.t <> $2;
EXECUTE join_p (100, 'k1');
EXECUTE join_p (5, 'k2');
INSERT INTO join_u VALUES (61, 'another', 61);
EXECUTE join_p (100, 'k1');
SELECT q.k, (SELECT sum(u.v) FROM join_f f JOIN join_u u USING (k) WHERE f.id > q.k * 1000 AND u.k < q.k) FROM generate_series(1, 20, 5) q (k);
-- tablets without keys of a small table are skipped
CREATE TABLE join_days (day int, q int);
INSERT INTO join_days SELECT i / 1000, i % 100 FROM generate_series(0, 399999) i;
CREATE TABLE join_calendar (day int PRIMARY KEY, month int);
INSERT INTO join_calendar SELECT i, i / 30 FROM generate_series(0, 450) i;
VACUUM ANALYZE join_days, join_calendar;
SELECT gpudb.prewarm('join_days') > 0;
SELECT count(*), sum(q) FROM join_days JOIN join_calendar USING (day) WHERE month = 5;
SELECT count(*), sum(q) FROM join_days d WHERE EXISTS (SELECT FROM join_calendar c WHERE c.day = d.day AND month > 12);
SELECT count(*), sum(q) FROM join_days JOIN join_calendar USING (day) WHERE month = 99;
SELECT count(*), count(month) FROM join_days d LEFT JOIN join_calendar c ON c.day = d.day AND month = 5;
SELECT count(*) FROM join_days d WHERE NOT EXISTS (SELECT FROM join_calendar c WHERE c.day = d.day AND month = 5);
DROP TABLE join_days, join_calendar;
DROP TABLE join_f, join_u, join_m, join_a, join_b, join_skew, join_none, join_sparse, join_big;
