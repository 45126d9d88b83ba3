-- Without force: small tables and index look-ups stay with PostgreSQL, large scans do not.
CREATE TABLE plan_cost (id int PRIMARY KEY, k int, n numeric(10,2), t text);
INSERT INTO plan_cost SELECT i, i % 1000, i % 777 / 100.0, 'text ' || i % 100 FROM generate_series(1, 400000) i;
CREATE INDEX plan_cost_k ON plan_cost (k);
CREATE TABLE plan_cost_small AS SELECT * FROM plan_cost WHERE id <= 500;
VACUUM ANALYZE plan_cost, plan_cost_small;
SET max_parallel_workers_per_gather = 0;
SET gpudb.cache = off;
SELECT query, gpu_nodes(query) FROM (VALUES
	('SELECT * FROM plan_cost WHERE id = 7'),
	('SELECT * FROM plan_cost WHERE k = 7'),
	('SELECT count(*) FROM plan_cost WHERE id BETWEEN 7 AND 9'),
	('SELECT max(id) FROM plan_cost'),
	('SELECT count(*) FROM plan_cost_small'),
	('SELECT k, sum(n) FROM plan_cost_small GROUP BY k'),
	('SELECT * FROM plan_cost_small WHERE n > 3'),
	('SELECT * FROM plan_cost LIMIT 5'),
	('SELECT * FROM plan_cost'),
	('SELECT * FROM plan_cost ORDER BY id LIMIT 5'),
	('SELECT relname FROM pg_class WHERE relpages > 10'),
	('SELECT count(*) FROM pg_attribute'),
	('SELECT sum(n), avg(n), count(*) FROM plan_cost WHERE n > 3'),
	('SELECT t, sum(n), avg(n), count(*) FROM plan_cost WHERE n > 3 GROUP BY t'),
	('SELECT id FROM plan_cost WHERE t LIKE ''%99'' AND n > 7')) q (query);
-- the answers are the same
SELECT count(*), sum(n) FROM plan_cost WHERE n > 3;
SET gpudb.enabled = off;
SELECT count(*), sum(n) FROM plan_cost WHERE n > 3;
RESET gpudb.enabled;
-- An index has fewer pages than its table, but a table in shared_buffers need not be read from disk either.
CREATE TABLE plan_cost_wide (id int PRIMARY KEY, filler text);
INSERT INTO plan_cost_wide SELECT i, repeat('-', 220) FROM generate_series(1, 100000) i;
VACUUM ANALYZE plan_cost_wide;
SELECT query, gpu_nodes(query) FROM (VALUES
	('SELECT count(*) FROM plan_cost_wide'),
	('SELECT count(*), sum(id) FROM plan_cost_wide WHERE id > 100'),
	('SELECT id % 7, count(*) FROM plan_cost_wide GROUP BY 1'),
	('SELECT DISTINCT id FROM plan_cost_wide'),
	('SELECT count(*) FROM plan_cost_wide WHERE id < 1000'),
	('SELECT id FROM plan_cost_wide GROUP BY id LIMIT 5')) q (query);
SET gpudb.enabled = off;
SELECT count(*), sum(id) FROM plan_cost_wide WHERE id > 100;
RESET gpudb.enabled;
SELECT count(*), sum(id) FROM plan_cost_wide WHERE id > 100;
SHOW seq_page_cost;
SHOW random_page_cost;
-- Page costs of a tablespace are taken as they are.
SET allow_in_place_tablespaces = on;
CREATE TABLESPACE plan_cost_space LOCATION '' WITH (seq_page_cost = 1, random_page_cost = 4);
ALTER INDEX plan_cost_wide_pkey SET TABLESPACE plan_cost_space;
SELECT gpu_nodes('SELECT count(*) FROM plan_cost_wide');
DROP TABLE plan_cost, plan_cost_small, plan_cost_wide;
DROP TABLESPACE plan_cost_space;
