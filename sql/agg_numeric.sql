-- sum, avg, min and max of numerics: exact at any size, with PostgreSQL's number of digits.
CREATE TABLE agg_numeric (id int NOT NULL, k int, a numeric(4,1), b numeric(15,2), c numeric(38,0), d numeric(20,10), e numeric, f int8, g numeric(5,5), neg numeric(15,2));
INSERT INTO agg_numeric
SELECT i, i % 4, i % 9999 / 10.0, i * 104729.37, i::numeric * 1e28, i * 7.0000000001, CASE WHEN i % 3 = 0 THEN i WHEN i % 3 = 1 THEN i / 2.0 ELSE i * 1.00 END, 9223372036854775807 - i, i % 100000 / 100000.0, -i * 1.11
FROM generate_series(1, 40000) i;
ANALYZE agg_numeric;
SET gpudb.force = on;
SET gpudb.debug_require = require;
SELECT sum(a), sum(b), sum(c), sum(d), sum(e), sum(f), sum(g), sum(neg) FROM agg_numeric;
SELECT avg(a), avg(b), avg(c), avg(d), avg(e), avg(f), avg(g), avg(neg) FROM agg_numeric;
SELECT min(a), max(a), min(b), max(b), min(c), max(c), min(d), max(d) FROM agg_numeric;
SELECT min(f), max(f), min(g), max(g), min(neg), max(neg) FROM agg_numeric;
SELECT k, sum(a), avg(a), sum(b), avg(b), sum(c), sum(e), avg(e), count(e) FROM agg_numeric GROUP BY k ORDER BY k;
-- the division of avg: more digits for small values, fewer for large ones
SELECT avg(a), avg(b), avg(g), avg(neg) FROM agg_numeric WHERE id <= 3;
SELECT avg(a), avg(b), avg(g), avg(neg), avg(e), avg(f) FROM agg_numeric WHERE id = 7;
SELECT avg(g * g), avg(g * g * g), avg(b * b), avg(c * 10), avg(a - a) FROM agg_numeric WHERE id IN (1, 2, 4);
SELECT avg(id), avg(id::int8), avg(id::int2), avg(-id) FROM agg_numeric WHERE id < 8;
SELECT sum(b) / count(*), sum(b) / sum(a), round(avg(b), 3), trunc(avg(d)), sum(b) * 1.10 FROM agg_numeric WHERE a > 0;
-- sums that leave 64 bits though no value does
SELECT sum(f), avg(f), sum(b * 1000000000) FROM agg_numeric;
SELECT sum(f * 1), sum(f::numeric), sum(f::numeric * 1000) FROM agg_numeric;
SELECT sum(-f), min(-f), sum(f) + sum(-f) FROM agg_numeric;
SELECT sum(c * 10) + 0.5, avg(c * 10) FROM agg_numeric;
-- display scales
SELECT sum(e), min(e), max(e) FROM agg_numeric WHERE id IN (1, 3);
SELECT sum(e) FROM agg_numeric WHERE id % 3 = 0;
SELECT sum(e) FROM agg_numeric WHERE id % 3 = 2;
SELECT sum(e) FILTER (WHERE id % 3 = 0), sum(e) FILTER (WHERE id % 3 = 1), sum(e) FILTER (WHERE id % 3 = 2), avg(e) FILTER (WHERE id < 0) FROM agg_numeric;
SELECT k, sum(e) FROM agg_numeric WHERE id % 3 = 0 OR k = 1 GROUP BY k ORDER BY k;
SELECT sum(0.00), sum(1), sum(1.50) FROM agg_numeric;
SELECT sum(a * 0), sum(a * 0.00), sum(e * 0) FROM agg_numeric;
-- sums that leave 38 digits though no value does
SET gpudb.debug_require = allow;
SELECT sum(c * 10000), avg(c * 10000) FROM agg_numeric;
SELECT k, sum(c * 10000), count(*) FROM agg_numeric GROUP BY k ORDER BY k;
-- one group's smallest value in two spellings
INSERT INTO agg_numeric (id, k, e) VALUES (50001, 9, 0.5), (50002, 9, 0.50), (50003, 9, 7), (50004, 9, 7.00), (50005, 8, 3.5), (50006, 8, 4);
SELECT min(e), max(e) FROM agg_numeric WHERE k = 8;
SELECT min(e) = 0.5, max(e) = 7, sum(e), avg(e) FROM agg_numeric WHERE k = 9;
SELECT k, min(e) = max(e) FROM agg_numeric WHERE k > 7 GROUP BY k ORDER BY k;
SELECT sum(c * c) FROM agg_numeric WHERE id < 4;
SELECT sum(c * 1e10) FROM agg_numeric;
DROP TABLE agg_numeric;
