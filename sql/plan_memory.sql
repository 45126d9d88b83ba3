-- A fallback of an aggregate is remembered: the planner does not walk into it again until the relation changes
CREATE TABLE plan_memory (id int NOT NULL, g int NOT NULL, n numeric) WITH (autovacuum_enabled = off);
INSERT INTO plan_memory SELECT i, i % 7, CASE WHEN i = 90000 THEN 'NaN' ELSE i / 8.0 END FROM generate_series(1, 100000) i;
ANALYZE plan_memory;
SET max_parallel_workers_per_gather = 0;
SELECT gpu_nodes('SELECT sum(n), avg(n) FROM plan_memory');
SELECT sum(n) FROM plan_memory;
-- any other query over that column, but none that leaves it alone
SELECT gpu_nodes('SELECT sum(n), avg(n) FROM plan_memory');
SELECT gpu_nodes('SELECT g, max(n) FROM plan_memory GROUP BY g');
SELECT gpu_nodes('SELECT g, sum(id), stddev(id) FROM plan_memory GROUP BY g');
SELECT relation, part, node, reason FROM gpudb.why_not('SELECT sum(n), avg(n) FROM plan_memory');
-- under force all is tried
SET gpudb.force = on;
SELECT gpu_nodes('SELECT sum(n), avg(n) FROM plan_memory');
RESET gpudb.force;
-- a computation that failed, whatever its constants
SELECT gpu_nodes('SELECT sum(g * id), stddev(g), sum(id) FROM plan_memory');
SELECT sum(1000000000 / (id - 90001)), stddev(id), min(g) FROM plan_memory;
SELECT gpu_nodes('SELECT sum(1000000000 / (id - 90001)), stddev(id), min(g) FROM plan_memory');
SELECT gpu_nodes('SELECT sum(1000000001 / (id - 90002)), stddev(id), min(g) FROM plan_memory');
SELECT gpu_nodes('SELECT sum(g * id), stddev(g), sum(id) FROM plan_memory');
-- a change of the relation clears it
UPDATE plan_memory SET n = 1 WHERE id = 90000;
SELECT pg_stat_force_next_flush();
SELECT gpu_nodes('SELECT sum(n), avg(n) FROM plan_memory');
SELECT sum(n) FROM plan_memory;
-- so does another file
TRUNCATE plan_memory;
DROP TABLE plan_memory;
-- joins: the pass or the table has such a value, over either relation; the rows and what is computed of them
CREATE TABLE plan_memory_joined (id int NOT NULL, n numeric) WITH (autovacuum_enabled = off);
INSERT INTO plan_memory_joined SELECT i, CASE WHEN i = 90000 THEN 'NaN' ELSE i / 8.0 END FROM generate_series(1, 100000) i;
CREATE TABLE plan_memory_other (id int NOT NULL, g int NOT NULL) WITH (autovacuum_enabled = off);
INSERT INTO plan_memory_other SELECT i, i % 10 FROM generate_series(1, 300000) i;
ANALYZE plan_memory_joined, plan_memory_other;
SELECT pg_stat_force_next_flush();
CREATE TABLE plan_memory_query AS SELECT 'SELECT max(g), sum(n) FROM plan_memory_joined JOIN plan_memory_other USING (id)' AS sql;
SELECT gpu_nodes(sql) ~ 'GpuAgg' FROM plan_memory_query;
SELECT max(g), sum(n) FROM plan_memory_joined JOIN plan_memory_other USING (id);
SELECT max(g), sum(n) FROM plan_memory_joined JOIN plan_memory_other USING (id);
SELECT max(g), sum(n) FROM plan_memory_joined JOIN plan_memory_other USING (id);
SELECT gpu_nodes(sql) ~ 'Gpu(Agg|Join)' FROM plan_memory_query;
SELECT part, node, reason FROM plan_memory_query, gpudb.why_not(sql) WHERE part = 'join';
DELETE FROM plan_memory_joined WHERE id = 90000;
UPDATE plan_memory_other SET g = 7 WHERE id = 7;
SELECT pg_stat_force_next_flush();
SELECT gpu_nodes(sql) ~ 'GpuAgg' FROM plan_memory_query;
SELECT max(g), sum(n) FROM plan_memory_joined JOIN plan_memory_other USING (id);
-- a table that is known to have no room is not planned on the CPU
SET gpudb.device = cpu;
SET gpudb.join_memory = '1MB';
SELECT gpu_nodes(sql) ~ 'Gpu(Agg|Join)' FROM plan_memory_query;
RESET gpudb.join_memory;
SELECT gpu_nodes(sql) ~ 'GpuAgg' FROM plan_memory_query;
-- one that is found to have none is remembered, until there may be some: PostgreSQL expects one row in 256, and there is every other one
CREATE TABLE plan_memory_alike AS SELECT i AS id, i % 2 AS a, i % 2 AS b, i % 2 AS c, i % 2 AS d, i % 2 AS e, i % 2 AS f, i % 2 AS g, i % 2 AS h FROM generate_series(1, 300000) i;
ANALYZE plan_memory_alike;
UPDATE plan_memory_query SET sql = 'SELECT count(*), sum(o.id) FROM plan_memory_other o JOIN plan_memory_alike p USING (id) WHERE a = 1 AND b = 1 AND c = 1 AND d = 1 AND e = 1 AND f = 1 AND p.g = 1 AND h = 1';
SELECT pg_stat_force_next_flush();
SET gpudb.join_memory = '1MB';
SELECT gpu_nodes(sql) ~ 'GpuAgg' FROM plan_memory_query;
SELECT count(*), sum(o.id) FROM plan_memory_other o JOIN plan_memory_alike p USING (id) WHERE a = 1 AND b = 1 AND c = 1 AND d = 1 AND e = 1 AND f = 1 AND p.g = 1 AND h = 1;
SELECT gpu_nodes(sql) ~ 'GpuAgg' FROM plan_memory_query;
RESET gpudb.join_memory;
SELECT gpu_nodes(sql) ~ 'GpuAgg' FROM plan_memory_query;
RESET gpudb.device;
DROP TABLE plan_memory_joined, plan_memory_other, plan_memory_alike, plan_memory_query;
