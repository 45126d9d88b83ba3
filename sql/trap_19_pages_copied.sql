-- pages that are not in shared_buffers are copied: temporary tables always, others when they had to be read
CREATE TEMP TABLE trap_19_temp AS SELECT i AS id, i % 10 AS k, 'text ' || i % 100 AS t FROM generate_series(1, 30000) i;
CREATE UNLOGGED TABLE trap_19_unlogged AS SELECT * FROM trap_19_temp;
ANALYZE trap_19_temp;
ANALYZE trap_19_unlogged;
SET gpudb.force = on;
SET gpudb.debug_require = require;
SELECT k, count(*), sum(id) FROM trap_19_temp WHERE t LIKE 'text 1%' GROUP BY k ORDER BY k LIMIT 3;
SELECT id, t FROM trap_19_temp WHERE id % 10000 = 7;
SELECT k, count(*), sum(id) FROM trap_19_unlogged WHERE t LIKE 'text 1%' GROUP BY k ORDER BY k LIMIT 3;
SELECT id, t FROM trap_19_unlogged WHERE id % 10000 = 7;
DROP TABLE trap_19_temp, trap_19_unlogged;
