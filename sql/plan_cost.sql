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
DROP TABLE plan_cost, plan_cost_small;
