-- Full joins: rows that have met none follow those of the pass.
CREATE TABLE join_full_a (id int NOT NULL, k int, b int8, t text, n numeric, d date);
INSERT INTO join_full_a SELECT i, CASE WHEN i % 10 > 0 THEN i % 50 END, i % 40, 'text number ' || i % 45, i % 30 * 0.5, '2024-01-01'::date + i % 20 FROM generate_series(1, 6000) i;
CREATE TABLE join_full_b (id int NOT NULL, k int, t text, n numeric(9,3), v varchar(5), ts timestamp, i interval);
INSERT INTO join_full_b SELECT i, CASE WHEN i % 8 > 0 THEN i % 40 + 30 END, 'text number ' || i % 60, i % 25, 'v' || i % 7, '2024-01-11'::timestamp + i % 30 * interval '12 hours', make_interval(mins => i)
FROM generate_series(1, 120) i;
CREATE TABLE join_full_u (k int8 PRIMARY KEY, name text NOT NULL);
INSERT INTO join_full_u SELECT i, 'name ' || i FROM generate_series(20, 59) i;
CREATE TABLE join_full_e (k int, t text);
ANALYZE join_full_a, join_full_b, join_full_u, join_full_e;
SET gpudb.force = on;
SET gpudb.debug_require = require;
SET max_parallel_workers_per_gather = 0;
\pset null '(null)'
\pset format unaligned
SELECT explain('SELECT a.id, b.id FROM join_full_a a FULL JOIN join_full_b b ON b.k = a.k');
-- NULL keys and duplicates on both sides, a unique table, and what is wanted of either side or of none
SELECT count(*), count(a.id), count(b.id), sum(a.id), sum(b.id), count(a.k), count(b.k) FROM join_full_a a FULL JOIN join_full_b b ON b.k = a.k;
SELECT count(*), count(a.id), count(u.k), min(u.name), max(u.name) FROM join_full_a a FULL JOIN join_full_u u ON u.k = a.k;
SELECT count(*) FROM join_full_a a FULL JOIN join_full_b b ON b.k = a.k;
SELECT count(*), sum(b.n), max(b.i), max(b.v) FROM join_full_a a FULL JOIN join_full_b b ON b.k = a.k;
SELECT a.id, a.t, a.n, a.d, b.* FROM (SELECT * FROM join_full_a WHERE id < 8) a FULL JOIN (SELECT * FROM join_full_b WHERE id < 12) b ON b.id = a.id + 4 ORDER BY a.id, b.id;
SELECT k, a.id, u.name FROM (SELECT * FROM join_full_a WHERE id BETWEEN 15 AND 25) a FULL JOIN (SELECT * FROM join_full_u WHERE k < 25) u USING (k) ORDER BY k, a.id;
-- keys of texts, of several columns, of other types, and of none that is looked up
SELECT count(*), count(a.id), count(b.id), sum(a.id), sum(b.id) FROM join_full_a a FULL JOIN join_full_b b ON b.t = a.t;
SELECT count(*), count(a.id), count(b.id), sum(a.id), sum(b.id) FROM join_full_a a FULL JOIN join_full_b b ON b.t = a.t AND b.k = a.k;
SELECT count(*), count(a.id), count(b.id), sum(a.id), sum(b.id) FROM join_full_a a FULL JOIN join_full_b b ON b.n = a.n;
SELECT count(*), count(a.id), count(b.id), sum(a.id), sum(b.id) FROM join_full_a a FULL JOIN join_full_b b ON b.k = a.b;
SELECT count(*), count(a.id), count(b.id), sum(a.id), sum(b.id) FROM join_full_a a FULL JOIN join_full_b b ON b.n = a.b;
SELECT count(*), count(a.id), count(b.id), sum(a.id), sum(b.id) FROM join_full_a a FULL JOIN join_full_b b ON b.ts = a.d;
-- what is tested beside the key takes no row away
SELECT explain('SELECT a.id, b.id FROM join_full_a a FULL JOIN join_full_b b ON b.k = a.k AND a.id < 100 AND b.id > a.id');
SELECT count(*), count(a.id), count(b.id), sum(a.id), sum(b.id) FROM join_full_a a FULL JOIN join_full_b b ON b.k = a.k AND a.id < 100 AND b.id > a.id;
SELECT count(*), count(a.id), count(u.k), sum(a.id), sum(u.k) FROM join_full_a a FULL JOIN join_full_u u ON u.k = a.k AND u.name <> 'name 33' AND a.id > 40;
-- filters of what has been joined are the node's own
SELECT explain('SELECT a.id FROM join_full_a a FULL JOIN join_full_b b ON b.k = a.k WHERE a.id IS NULL OR b.n > 20');
SELECT count(*), count(a.id), sum(a.id) FROM join_full_a a FULL JOIN join_full_b b ON b.k = a.k WHERE a.id IS NULL OR b.n > 20;
SELECT b.id, b.k FROM join_full_a a FULL JOIN join_full_b b ON b.k = a.k WHERE a.id IS NULL AND b.id < 30 ORDER BY 1;
SELECT count(*), sum(a.id) FROM join_full_a a FULL JOIN join_full_b b ON b.k = a.k WHERE coalesce(a.id, b.id) > (SELECT min(k) + 100 FROM join_full_u);
-- empty sides
SELECT count(*), count(a.id), sum(a.id), count(e.t) FROM join_full_a a FULL JOIN join_full_e e ON e.k = a.k;
SELECT count(*), count(a.id), sum(a.id), count(e.t) FROM join_full_e e FULL JOIN join_full_a a ON e.k = a.k;
SELECT count(*) FROM join_full_e x FULL JOIN join_full_e y ON y.k = x.k;
SELECT a.id, u.k FROM (SELECT * FROM join_full_a WHERE id < 0) a FULL JOIN (SELECT * FROM join_full_u WHERE k < 23) u ON u.k = a.k ORDER BY u.k;
-- behind other joins, with joins on the other side, as the table of a further join, and below aggregates
SELECT count(*), count(u.name), count(b.v), sum(a.id), max(u.name), min(b.v) FROM join_full_a a JOIN join_full_u u ON u.k = a.k FULL JOIN join_full_b b ON b.id = a.id;
SELECT count(*), count(a.id), count(u.k), count(b.id), sum(b.id) FROM join_full_a a FULL JOIN (join_full_b b JOIN join_full_u u ON u.k = b.k) ON b.id = a.id;
SELECT explain('SELECT count(*), sum(q.aid), sum(q.bid) FROM join_full_u u JOIN (join_full_a a FULL JOIN join_full_b b ON b.k = a.k) q (aid, ak, ab, at, an, ad, bid, bk) ON coalesce(q.ak, q.bk) = u.k');
SELECT count(*), sum(q.aid), sum(q.bid), max(q.at) FROM join_full_u u JOIN (join_full_a a FULL JOIN join_full_b b ON b.k = a.k) q (aid, ak, ab, at, an, ad, bid, bk) ON coalesce(q.ak, q.bk) = u.k;
SELECT explain('SELECT count(*), sum(q.aid), sum(q.bid) FROM join_full_u u LEFT JOIN (join_full_a a FULL JOIN join_full_b b ON b.k = a.k) q (aid, ak, ab, at, an, ad, bid, k) ON q.k = u.k');
SELECT count(*), sum(q.aid), sum(q.bid) FROM join_full_u u LEFT JOIN (join_full_a a FULL JOIN join_full_b b ON b.k = a.k) q (aid, ak, ab, at, an, ad, bid, k) ON q.k = u.k;
SELECT count(*), count(q.aid), count(q.bid), sum(q.bid) FROM join_full_u u LEFT JOIN (join_full_a a FULL JOIN join_full_b b ON b.k = a.k AND a.id > 100) q (aid, ak, ab, at, an, ad, bid) ON q.bid = u.k;
SELECT q.v, q.at, count(*), sum(q.an), max(q.bi) FROM join_full_u u LEFT JOIN (SELECT a.t AS at, a.n AS an, b.* FROM join_full_a a FULL JOIN join_full_b b ON b.id = a.id - 100) q (at, an, bid, k, bt, bn, v, ts, bi) ON coalesce(q.bid, 10) + 10 = u.k GROUP BY q.v, q.at ORDER BY q.v, q.at LIMIT 12;
SELECT count(*), count(a.id), count(b.id), count(u.k) FROM join_full_a a FULL JOIN join_full_b b ON b.k = a.k FULL JOIN join_full_u u ON u.k = b.k;
SELECT b.v, count(*), sum(a.id), max(a.t) FROM join_full_a a FULL JOIN join_full_b b ON b.k = a.k GROUP BY b.v ORDER BY b.v;
SELECT relation, part, node, reason FROM gpudb.why_not('SELECT b.v, stddev(a.id) FROM join_full_a a FULL JOIN join_full_b b ON b.k = a.k GROUP BY b.v');
SELECT relation, part, node, reason FROM gpudb.why_not('SELECT a.id, u.name FROM join_full_a a FULL JOIN join_full_b b ON b.k = a.k LEFT JOIN join_full_u u ON u.k = a.k');
-- whole rows, and expressions of one side that are NULL where it is
SET gpudb.debug_require = allow;
SELECT count(*), count(q.one), count(b), sum(q.id) FROM (SELECT *, 1 AS one FROM join_full_a) q FULL JOIN join_full_b b ON b.k = q.k;
SET gpudb.debug_require = require;
-- as the inner side of a loop, with parameters, in a cursor that goes back, and interrupted
SELECT g, (SELECT count(*) || ' ' || count(q.aid) FROM (SELECT a.id AS aid FROM (SELECT * FROM join_full_a WHERE id > 5900 + g) a FULL JOIN (SELECT * FROM join_full_b WHERE id < g * 10) b ON b.k = a.k OFFSET 0) q) FROM generate_series(1, 13, 4) g;
BEGIN;
DECLARE join_full_cursor SCROLL CURSOR FOR SELECT a.id, b.id FROM join_full_a a FULL JOIN join_full_b b ON b.id = a.id + 118;
FETCH 3 FROM join_full_cursor;
MOVE ALL FROM join_full_cursor;
FETCH BACKWARD 2 FROM join_full_cursor;
FETCH ABSOLUTE 1 FROM join_full_cursor;
COMMIT;
SET gpudb.debug_yield = 9;
SELECT count(*), count(a.id), count(b.id), sum(a.id), sum(b.id) FROM join_full_a a FULL JOIN join_full_b b ON b.k = a.k;
RESET gpudb.debug_yield;
-- more rows than are found at once
SELECT count(*), count(x.i), count(y.j), sum(x.i), sum(y.j)::int8 FROM (SELECT id AS i FROM join_full_a) x FULL JOIN (SELECT b.id * 200 + a.id AS j FROM join_full_a a, join_full_b b WHERE a.id <= 200) y ON x.i = y.j;
-- a right join is a left one of the sides in turn
SELECT explain('SELECT a.id, b.id FROM join_full_a a RIGHT JOIN join_full_b b ON b.k = a.k AND a.id > 50');
SELECT count(*), count(a.id), count(b.id), sum(a.id), sum(b.id) FROM join_full_a a RIGHT JOIN join_full_b b ON b.k = a.k AND a.id > 50;
SELECT b.id, u.name FROM join_full_u u RIGHT JOIN join_full_b b ON u.k = b.k WHERE b.id < 9 ORDER BY 1;
-- what the device cannot know is PostgreSQL's; what PostgreSQL cannot do is nobody's
SET gpudb.debug_require = allow;
INSERT INTO join_full_b VALUES (999, 3, 'x', 'NaN');
SELECT count(*), count(a.id), sum(b.n) FROM join_full_a a FULL JOIN join_full_b b ON b.n = a.n WHERE a.id IS NULL OR b.id > 0;
SELECT count(*) FROM join_full_a a FULL JOIN join_full_b b ON b.k < a.k;
DROP TABLE join_full_a, join_full_b, join_full_u, join_full_e;
