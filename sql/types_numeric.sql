-- Numerics from their base-10000 digits: every count of digits, position of the point, sign and header.
CREATE TABLE types_numeric (id int NOT NULL, u numeric, n0 numeric(36,0), n2 numeric(36,2), n4 numeric(36,4), n5 numeric(36,5), n10 numeric(36,10), n18 numeric(36,18), s numeric(18,6));
-- m * 10^e for e from -18 to 17
INSERT INTO types_numeric
SELECT (row_number() OVER (ORDER BY e, m))::int, CASE WHEN a < 1e16 THEN v END, CASE WHEN a < 1e36 THEN round(v) END, CASE WHEN a < 1e32 THEN round(v, 2) END, CASE WHEN a < 1e28 THEN round(v, 4) END,
	CASE WHEN a < 1e28 THEN round(v, 5) END, CASE WHEN a < 1e24 THEN round(v, 10) END, CASE WHEN a < 1e16 THEN round(v, 18) END, CASE WHEN a < 1e11 THEN round(v, 6) END
FROM (SELECT *, abs(v) AS a FROM (SELECT e, m, CASE WHEN e >= 0 THEN m * power(10::numeric, e)::numeric(20,0) ELSE m * ('1e' || e)::numeric END AS v
	FROM generate_series(-18, 17) e, unnest('{0,1,-1,7,9,10,99,-101,9999,10000,10001,-12345,99999999,100000001,-123456789012345678}'::numeric[]) m) t) t;
ANALYZE types_numeric;
SET gpudb.force = on;
SET gpudb.debug_require = require;
SELECT count(*), sum(n0), sum(n2), sum(n4), sum(n5), sum(n10), sum(n18), sum(s) FROM types_numeric WHERE id > 0;
SELECT min(n0), max(n0), min(n2), max(n2), min(n4), max(n4), min(n5), max(n5) FROM types_numeric;
SELECT min(n10), max(n10), min(n18), max(n18), min(s), max(s) FROM types_numeric;
-- each value by itself: sums of one row, next to what the scan returns unread
SELECT count(*) AS rows, count(*) FILTER (WHERE row(g.n0, g.n2, g.n4, g.n5, g.n10, g.n18, g.s, g.u)::text <> row(t.n0, t.n2, t.n4, t.n5, t.n10, t.n18, t.s, t.u)::text) AS wrong
FROM (SELECT id, sum(n0) AS n0, sum(n2) AS n2, sum(n4) AS n4, sum(n5) AS n5, sum(n10) AS n10, sum(n18) AS n18, sum(s) AS s, sum(u) AS u FROM types_numeric GROUP BY id) g JOIN types_numeric t USING (id);
SELECT id, sum(n10), sum(n18), sum(s), sum(u) FROM types_numeric WHERE id % 15 IN (8, 0) GROUP BY id ORDER BY id;
SELECT id, n10, u FROM types_numeric WHERE n10 = 0.0000000007 OR n10 = 10001 OR u = -0.12345 ORDER BY id;
-- one column at a time, so that each is read narrow where it can be
SELECT sum(n0) FROM types_numeric WHERE n0 BETWEEN -1000000 AND 1000000;
SET gpudb.debug_require = allow;
CREATE TABLE types_numeric_narrow AS SELECT id, n0::numeric(18,0) AS n0, n2::numeric(18,2) AS n2, n4::numeric(18,4) AS n4, n5::numeric(18,5) AS n5, n10::numeric(18,10) AS n10, n5 AS u FROM types_numeric WHERE abs(n0) < 1e6;
SET gpudb.debug_require = require;
ANALYZE types_numeric_narrow;
SELECT count(*), sum(n0), min(n0), max(n0) FROM types_numeric_narrow;
SELECT count(*), sum(n2), min(n2), max(n2) FROM types_numeric_narrow;
SELECT count(*), sum(n4), min(n4), max(n4) FROM types_numeric_narrow;
SELECT count(*), sum(n5), min(n5), max(n5) FROM types_numeric_narrow;
SELECT count(*), sum(n10), min(n10), max(n10) FROM types_numeric_narrow;
SELECT count(*), sum(u), min(u), max(u) FROM types_numeric_narrow WHERE u <> 0;
SELECT n10, count(*) FROM types_numeric_narrow GROUP BY n10 ORDER BY n10;
SELECT n4, count(*) FROM types_numeric_narrow WHERE n4 > -1 AND n4 < 1 GROUP BY n4 ORDER BY n4;
-- the long header: scales above 63, weights beyond 6 bits
CREATE TABLE types_numeric_long (id int, n numeric);
INSERT INTO types_numeric_long SELECT i, i FROM generate_series(1, 5000) i;
INSERT INTO types_numeric_long VALUES (5001, ('0.' || repeat('0', 70))::numeric), (5002, ('1.' || repeat('0', 70))::numeric);
SET gpudb.debug_require = allow;
SELECT count(*), sum(n), max(n) FROM types_numeric_long WHERE id < 5000;
SELECT count(*) FROM types_numeric_long WHERE n = 1;
INSERT INTO types_numeric_long VALUES (5003, ('1' || repeat('0', 300))::numeric), (5004, ('0.' || repeat('0', 300) || '1')::numeric);
SELECT count(*) FROM types_numeric_long WHERE n > 4990;
SELECT id FROM types_numeric_long WHERE n > 4998 OR n < 1 ORDER BY id;
DROP TABLE types_numeric, types_numeric_narrow, types_numeric_long;
