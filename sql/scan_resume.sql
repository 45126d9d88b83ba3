-- Programs that are interrupted and resumed after any number of instructions give the same rows and sums.
CREATE TABLE scan_resume (id int NOT NULL, k int, n numeric, t text, f float8);
INSERT INTO scan_resume SELECT i, nullif(i % 100, 50), round(i / 8.0, i % 4), 't' || i % 30, i % 64 / 8.0 FROM generate_series(1, 12000) i;
ANALYZE scan_resume;
SET gpudb.force = on;
SET gpudb.debug_require = require;
\pset format unaligned
\pset tuples_only on
SELECT format('SET gpudb.debug_yield = %s; SELECT count(*), sum(id), sum(n), max(f) FROM scan_resume WHERE k < 70 AND t <> ''t3''; '
	'SELECT t, count(*), sum(n), min(id) FROM scan_resume WHERE k > 5 GROUP BY t ORDER BY t LIMIT 4; '
	'SELECT count(*), sum(c), sum(s) FROM (SELECT id %% 3000 AS k, n > 100 AS big, count(*) AS c, sum(n) AS s FROM scan_resume GROUP BY 1, 2) g; '
	'SELECT count(*), sum(id) FROM (SELECT id FROM scan_resume WHERE k IN (1, 2, 3) OR n > 1400 OFFSET 0) s; '
	'SELECT id FROM scan_resume WHERE k = 7 LIMIT 2', steps)
FROM unnest('{0,1,2,3,5,7,10,13,50,1000,-1}'::int[]) steps
\gexec
DROP TABLE scan_resume;
