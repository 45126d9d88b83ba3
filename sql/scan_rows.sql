-- Rows of a scan: their order, LIMIT, system columns, and columns that the device never reads.
CREATE TABLE scan_rows (id int NOT NULL, k int, n numeric(10,2), t text, a int[], j jsonb, p point, f float8);
INSERT INTO scan_rows SELECT i, nullif(i % 1000, 13), i % 777 / 100.0, 'text ' || i, ARRAY[i, NULL, -i], jsonb_build_object('i', i), point(i, -i), i / 8.0 FROM generate_series(1, 30000) i;
ANALYZE scan_rows;
SET gpudb.force = on;
SET gpudb.debug_require = require;

-- without ORDER BY rows come in the order of the heap
SELECT id FROM scan_rows WHERE k = 7;
SELECT count(*) AS out_of_order FROM (SELECT id, lag(id) OVER () AS before FROM scan_rows WHERE k > 3) s WHERE before >= id;
SELECT count(*), sum(id) FROM (SELECT id FROM scan_rows WHERE k IS NOT NULL OFFSET 0) s;
SELECT id FROM scan_rows WHERE k < 5 LIMIT 1;
SELECT id FROM scan_rows WHERE k < 5 LIMIT 3;
SELECT id FROM scan_rows WHERE k < 5 LIMIT 3 OFFSET 70;
SELECT id FROM scan_rows WHERE k < 5 OFFSET 145;
SELECT id FROM scan_rows WHERE k = 999 LIMIT 0;
SELECT id FROM scan_rows LIMIT 2;
SELECT id FROM scan_rows OFFSET 29998;
SELECT id FROM scan_rows WHERE k < 5 FETCH FIRST 2 ROWS ONLY;
SELECT id, n FROM scan_rows WHERE n = 7.76 ORDER BY id LIMIT 3;
SELECT id, n FROM scan_rows WHERE n = 7.76 ORDER BY id DESC FETCH FIRST 3 ROWS WITH TIES;
SELECT id FROM scan_rows WHERE k = -1;
SELECT id FROM scan_rows WHERE false;

-- what stands in the target list
SELECT * FROM scan_rows WHERE id IN (1, 13, 30000) ORDER BY id;
SELECT s FROM scan_rows s WHERE id = 500;
SELECT s.*, s IS NULL FROM scan_rows s WHERE id = 13;
SELECT id * 2 AS twice, upper(t) AS t, n / 3 AS third, a[1], j ->> 'i' AS j, p[0], f::numeric FROM scan_rows WHERE id = 777;
SELECT 1 FROM scan_rows WHERE id < 3;
SELECT FROM scan_rows WHERE id < 3;
SELECT 10 / (id - 5) AS q FROM scan_rows WHERE id < 5;
SELECT DISTINCT k FROM scan_rows WHERE k BETWEEN 5 AND 8 ORDER BY k;
SELECT t FROM scan_rows WHERE k = 3 AND t LIKE '%2003' OR t = 'text 9';
SELECT id, generate_series(1, 2) FROM scan_rows WHERE id = 4;
SELECT id, row_number() OVER (ORDER BY id DESC) FROM scan_rows WHERE k = 77 AND id < 5000 ORDER BY id;
SELECT k, array_agg(id ORDER BY id) FROM scan_rows WHERE k < 3 AND id < 5000 GROUP BY k ORDER BY k;

-- system columns
SELECT ctid, tableoid::regclass, id FROM scan_rows WHERE id IN (1, 2, 100) ORDER BY id;
SELECT count(*) FROM (SELECT ctid AS c, id FROM scan_rows WHERE k = 5) s JOIN scan_rows r ON r.ctid = s.c AND r.id = s.id;
SELECT tableoid::regclass, count(*) FROM (SELECT tableoid FROM scan_rows WHERE k < 2) s GROUP BY 1;
SET gpudb.debug_require = allow;
SELECT xmin IS NOT NULL AS x, cmin IS NOT NULL AS c, id FROM scan_rows WHERE id = 9;
SELECT id FROM scan_rows WHERE ctid = '(0,1)';
SELECT id FROM scan_rows WHERE ctid < '(0,4)' AND k > 0;

-- conditions that stay with PostgreSQL, alone and beside others
SELECT count(*), sum(id) FROM scan_rows WHERE a[1] < 10 AND k > 0;
SELECT id FROM scan_rows WHERE j @> '{"i": 77}' AND k = 77;
SELECT id FROM scan_rows WHERE k = 5 AND md5(t) < '1' ORDER BY id;
SELECT count(*) FROM scan_rows WHERE random() < 2 AND k < 5;
SELECT count(*) FROM (SELECT id FROM scan_rows WHERE random() < 2) s;
SELECT count(*) FROM scan_rows TABLESAMPLE SYSTEM (100) WHERE k < 5;

-- updated, deleted and re-inserted rows, in many page states
UPDATE scan_rows SET k = -k WHERE id % 10 = 0;
DELETE FROM scan_rows WHERE id % 7 = 0;
INSERT INTO scan_rows (id, k) SELECT i, 5 FROM generate_series(40001, 40500) i;
SET gpudb.debug_require = require;
SELECT count(*), sum(id), sum(k), count(t) FROM scan_rows;
SELECT id FROM scan_rows WHERE k = -500;
SELECT count(*) FROM (SELECT id FROM scan_rows WHERE k = 5 OFFSET 0) s;
VACUUM scan_rows;
SELECT count(*), sum(id), sum(k), count(t) FROM scan_rows;
SELECT id FROM scan_rows WHERE k = -500;
INSERT INTO scan_rows (id, k) SELECT i, 6 FROM generate_series(50001, 50500) i;
VACUUM (FREEZE, ANALYZE) scan_rows;
SELECT count(*), sum(id), sum(k), count(t) FROM scan_rows;
DELETE FROM scan_rows WHERE id < 20000;
VACUUM scan_rows;
SELECT count(*), sum(id), sum(k), count(t) FROM scan_rows;
SELECT id, k FROM scan_rows WHERE k = -800 ORDER BY id;
TRUNCATE scan_rows;
SELECT count(*), sum(id) FROM scan_rows;
SELECT id FROM scan_rows WHERE k = 5;

-- relations of every kind
SET gpudb.debug_require = allow;
CREATE TEMP TABLE scan_rows_temp AS SELECT i AS id, i % 10 AS k FROM generate_series(1, 20000) i;
CREATE UNLOGGED TABLE scan_rows_unlogged AS SELECT i AS id, i % 10 AS k FROM generate_series(1, 20000) i;
CREATE MATERIALIZED VIEW scan_rows_matview AS SELECT i AS id, i % 10 AS k FROM generate_series(1, 20000) i;
CREATE TABLE scan_rows_parts (id int, k int) PARTITION BY RANGE (id);
CREATE TABLE scan_rows_part1 PARTITION OF scan_rows_parts FOR VALUES FROM (0) TO (10000);
CREATE TABLE scan_rows_part2 (k int, extra text, id int);
ALTER TABLE scan_rows_part2 DROP COLUMN extra;
ALTER TABLE scan_rows_parts ATTACH PARTITION scan_rows_part2 FOR VALUES FROM (10000) TO (20001);
INSERT INTO scan_rows_parts SELECT i, i % 10 FROM generate_series(1, 20000) i;
CREATE TABLE scan_rows_parent (id int, k int);
CREATE TABLE scan_rows_child (more text) INHERITS (scan_rows_parent);
INSERT INTO scan_rows_parent SELECT i, i % 10 FROM generate_series(1, 9999) i;
INSERT INTO scan_rows_child SELECT i, i % 10, 'x' FROM generate_series(10000, 20000) i;
ANALYZE scan_rows_temp, scan_rows_unlogged, scan_rows_matview, scan_rows_parts, scan_rows_parent, scan_rows_child;
SET gpudb.debug_require = require;
SELECT count(*), sum(id) FROM scan_rows_temp WHERE k = 3;
SELECT count(*), sum(id) FROM scan_rows_unlogged WHERE k = 3;
SELECT count(*), sum(id) FROM scan_rows_matview WHERE k = 3;
SELECT k, count(*), sum(id) FROM scan_rows_parts WHERE k < 3 GROUP BY k ORDER BY k;
SELECT tableoid::regclass AS part, id, k FROM scan_rows_parts WHERE k = 3 AND id BETWEEN 9990 AND 10010 ORDER BY id;
SELECT count(*), sum(id) FROM scan_rows_parts WHERE id >= 15000 AND k = 3;
SELECT count(*), sum(id) FROM scan_rows_parent WHERE k = 3;
SELECT count(*), sum(id) FROM ONLY scan_rows_parent WHERE k = 3;
SELECT tableoid::regclass AS child, id FROM scan_rows_parent WHERE k = 3 AND id BETWEEN 9990 AND 10010 ORDER BY id;
DROP TABLE scan_rows, scan_rows_temp, scan_rows_unlogged, scan_rows_parts, scan_rows_parent, scan_rows_child;
DROP MATERIALIZED VIEW scan_rows_matview;
