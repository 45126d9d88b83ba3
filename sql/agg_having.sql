-- HAVING.
CREATE TABLE agg_having (id int NOT NULL, k int, t text, i int, n numeric(10,2));
INSERT INTO agg_having SELECT i, nullif(i % 50, 49), 't' || i % 7, i % 100, i % 1000 / 100.0 FROM generate_series(1, 25000) i WHERE i % 50 <> 3 OR i < 1000;
ANALYZE agg_having;
SET gpudb.force = on;
SET gpudb.debug_require = require;
SELECT k, count(*) FROM agg_having GROUP BY k HAVING count(*) < 500 ORDER BY k;
SELECT k, sum(n) FROM agg_having GROUP BY k HAVING sum(n) > 2560 AND min(i) < 48 ORDER BY k;
SELECT k FROM agg_having GROUP BY k HAVING avg(n) > 5.2 ORDER BY k;
SELECT k, count(*) FROM agg_having GROUP BY k HAVING k > 45 OR k IS NULL ORDER BY k;
SELECT t, count(*) FROM agg_having GROUP BY t HAVING t IN ('t1', 't5') ORDER BY t;
SELECT k, t, count(*) FROM agg_having GROUP BY k, t HAVING count(*) = (SELECT min(c) FROM (SELECT count(*) AS c FROM agg_having WHERE k > 3 GROUP BY k, t) m) AND k < 2 ORDER BY k, t;
SELECT k, max(i) - min(i) AS spread FROM agg_having GROUP BY k HAVING max(i) - min(i) <= 50 AND count(*) % 2 = 0 AND k < 5 ORDER BY k;
SELECT count(*) FROM agg_having HAVING count(*) > 1000;
SELECT count(*) FROM agg_having HAVING count(*) < 1000;
SELECT count(*) FROM agg_having WHERE id < 0 HAVING count(*) = 0;
SELECT 'any' AS found FROM agg_having HAVING sum(i) > 0;
SELECT k FROM agg_having GROUP BY k HAVING false;
SELECT k FROM agg_having GROUP BY k HAVING NULL;
SELECT k, sum(i) FROM agg_having GROUP BY k HAVING sum(i) FILTER (WHERE t = 't1') > 3550 ORDER BY k;
SELECT k, count(*) FROM agg_having GROUP BY k HAVING CASE WHEN sum(i) > 0 THEN count(*) / sum(i) = 0 ELSE false END AND k < 3 ORDER BY k;
-- an error in HAVING is PostgreSQL's own
SET gpudb.debug_require = allow;
SELECT k FROM agg_having GROUP BY k HAVING 1 / (count(*) - 500) > 0;
DROP TABLE agg_having;
