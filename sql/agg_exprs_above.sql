-- Expressions over aggregates and keys, and what stands above the aggregate.
CREATE TABLE agg_exprs_above (id int PRIMARY KEY, k int, g text, i int, n numeric(10,2), d date);
INSERT INTO agg_exprs_above SELECT i, i % 6, 'g' || i % 4, i % 100, i % 777 / 100.0, date '2024-01-01' + i % 20 FROM generate_series(1, 20000) i;
CREATE TABLE agg_exprs_above_dim AS SELECT i AS k, 'name ' || i AS name FROM generate_series(0, 9) i;
ANALYZE agg_exprs_above, agg_exprs_above_dim;
SET datestyle = ISO;
SET gpudb.force = on;
SET gpudb.debug_require = require;
SELECT sum(i) + count(*) AS a, round(avg(n), 3) AS b, sum(n) / nullif(count(*), 0) AS c, coalesce(max(i), 0) || '!' AS d, upper('x' || min(k)) AS e FROM agg_exprs_above;
SELECT upper(g) AS g, k * 2 AS kk, round(sum(n) * 1.1, 1) AS s, CASE WHEN count(*) > 1660 THEN 'many' ELSE 'few' END AS size FROM agg_exprs_above GROUP BY g, k ORDER BY 1, 2;
SELECT g, extract(day FROM max(d)) AS day, to_char(min(d), 'YYYY-MM') AS month, age(max(d), min(d)) AS span FROM agg_exprs_above GROUP BY g ORDER BY g;
SELECT k + 1 AS k1, sum(i) FROM agg_exprs_above GROUP BY k ORDER BY sum(i) DESC, k LIMIT 3 OFFSET 1;
SELECT k, count(*), rank() OVER (ORDER BY sum(n) DESC), sum(sum(i)) OVER (ORDER BY k) FROM agg_exprs_above GROUP BY k ORDER BY k;
SELECT DISTINCT count(*) FROM agg_exprs_above GROUP BY k ORDER BY 1;
SELECT count(*), sum(c) FROM (SELECT g, count(*) AS c FROM agg_exprs_above GROUP BY g) s WHERE c > 100;
SELECT max(s) FROM (SELECT k, sum(n) AS s FROM agg_exprs_above GROUP BY k) x;
SELECT row(k, sum(i)), array[min(i), max(i)] FROM agg_exprs_above GROUP BY k ORDER BY k;
SELECT sum(i) AS s, (SELECT max(i) FROM agg_exprs_above) AS m FROM agg_exprs_above;
SELECT k, generate_series(1, 2) AS copy, count(*) FROM agg_exprs_above GROUP BY k ORDER BY 1, 2;
SELECT k, count(*) FROM agg_exprs_above GROUP BY k UNION ALL SELECT -1, count(*) FROM agg_exprs_above ORDER BY 1;
SELECT g, count(*) FROM agg_exprs_above WHERE k = 1 GROUP BY g INTERSECT SELECT g, count(*) FROM agg_exprs_above WHERE k = 3 GROUP BY g ORDER BY 1;
-- the primary key stands for the whole row
SELECT id, k, g, n, count(*), sum(i) FROM agg_exprs_above WHERE id <= 3 GROUP BY id ORDER BY id;
-- what is computed of a key after the sort, and what PostgreSQL computes anew of a row of the group
SELECT k % 2 + 1 AS k, count(*) AS c, ((((((((((((k % 2 + 1) * 2) + 3) * 5) - 7) * 3) + 1) * 2) - 9) * 4) + 6) * 3) AS l FROM agg_exprs_above GROUP BY 1 ORDER BY c DESC, 1 LIMIT 1;
SELECT id = k AS e, count(*) FROM agg_exprs_above GROUP BY 1 HAVING count(*) > 0 ORDER BY 2;
SET gpudb.debug_require = allow;
SELECT i = k AS e, NOT (i = k) AS n, count(*) FROM agg_exprs_above GROUP BY 1 ORDER BY 3;
SET gpudb.debug_require = require;
SELECT a.k, a.s, d.name FROM (SELECT k, sum(n) AS s FROM agg_exprs_above GROUP BY k) a JOIN (SELECT k, name FROM agg_exprs_above_dim WHERE k < 4) d USING (k) ORDER BY a.k;
SELECT a.k, a.c, b.c FROM (SELECT k, count(*) AS c FROM agg_exprs_above WHERE i < 50 GROUP BY k) a JOIN (SELECT k, count(*) AS c FROM agg_exprs_above WHERE i >= 50 GROUP BY k) b ON a.k = b.k ORDER BY a.k;
WITH per AS MATERIALIZED (SELECT k, sum(n) AS s FROM agg_exprs_above GROUP BY k) SELECT p.k, p.s, p.s - q.s AS diff FROM per p JOIN per q ON q.k = p.k - 1 ORDER BY p.k;
-- volatile and set-returning expressions above
SELECT k, count(*), random() >= 0 AS r FROM agg_exprs_above GROUP BY k ORDER BY k;
SET gpudb.debug_require = allow;
SELECT floor(random() * 0) AS zero, count(*) FROM agg_exprs_above GROUP BY 1;
-- a set of constants is no constant
SELECT generate_series(1, 2) AS copy, count(*) FROM agg_exprs_above WHERE k > 3 GROUP BY 1 ORDER BY 1;
SELECT generate_series(2, 2) AS copy, count(*) FROM agg_exprs_above WHERE k > (SELECT min(k) FROM agg_exprs_above_dim) GROUP BY 1;
SELECT DISTINCT 10 - generate_series(2, 3) AS down FROM agg_exprs_above WHERE k > (SELECT min(k) FROM agg_exprs_above_dim) ORDER BY 1;
DROP TABLE agg_exprs_above, agg_exprs_above_dim;
