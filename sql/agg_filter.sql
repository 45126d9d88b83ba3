-- Aggregates with FILTER.
CREATE TABLE agg_filter (id int NOT NULL, k int, i int, n numeric(10,2), f float8, b bool, t text);
INSERT INTO agg_filter
SELECT i, nullif(i % 5, 4), nullif(i % 100, 50), nullif(i % 700, 7) / 100.0, nullif(i % 40, 3) / 4.0, nullif(i % 3, 2) = 0, 't' || i % 6 FROM generate_series(1, 30000) i;
ANALYZE agg_filter;
SET gpudb.force = on;
SET gpudb.debug_require = require;
SELECT count(*) FILTER (WHERE i > 50), count(*) FILTER (WHERE b), count(*) FILTER (WHERE NOT b), count(*) FILTER (WHERE b IS NULL), count(*) FILTER (WHERE false), count(*) FILTER (WHERE NULL), count(*) FILTER (WHERE true) FROM agg_filter;
SELECT count(i) FILTER (WHERE k = 1), sum(i) FILTER (WHERE k = 1), avg(i) FILTER (WHERE k = 1), min(i) FILTER (WHERE k = 1), max(i) FILTER (WHERE k = 1), sum(i) FILTER (WHERE k = 2), sum(i) FROM agg_filter;
SELECT sum(n) FILTER (WHERE t = 't1'), sum(n) FILTER (WHERE t LIKE '%2'), avg(n) FILTER (WHERE t IN ('t1', 't2', 't3')), max(n) FILTER (WHERE i IS NULL), sum(f) FILTER (WHERE f > 5), min(f) FILTER (WHERE f > 5) FROM agg_filter;
SELECT sum(i) FILTER (WHERE i < 0), avg(n) FILTER (WHERE i < 0), min(f) FILTER (WHERE i < 0), count(n) FILTER (WHERE i < 0) FROM agg_filter;
SELECT k, count(*) FILTER (WHERE b), sum(i) FILTER (WHERE b), sum(n) FILTER (WHERE NOT b AND i > 10), max(n) FILTER (WHERE t = 't3') FROM agg_filter GROUP BY k ORDER BY k;
SELECT t, sum(n) FILTER (WHERE k = 0) AS k0, sum(n) FILTER (WHERE k = 1) AS k1, sum(n) FILTER (WHERE k IS NULL) AS kn FROM agg_filter WHERE i < 80 GROUP BY t ORDER BY t;
SELECT k, sum(i) FILTER (WHERE i > 98) FROM agg_filter GROUP BY k HAVING count(*) FILTER (WHERE i > 98) > 50 ORDER BY k;
-- one argument under several filters
SELECT sum(i * 2) FILTER (WHERE i > 10), sum(i * 2) FILTER (WHERE i > 20), sum(i * 2), count(i * 2) FILTER (WHERE i > 10) FROM agg_filter;
-- the filter comes before the argument
SELECT sum(100 / i) FILTER (WHERE i <> 0), sum(i) FILTER (WHERE i <> 0 AND 100 / i > 5) FROM agg_filter;
SET gpudb.debug_require = allow;
SELECT sum(100 / i) FILTER (WHERE i >= 0) FROM agg_filter;
DROP TABLE agg_filter;
