-- Queries as the source of writes; writes that read their own tables.
CREATE TABLE scan_source (id int NOT NULL, k int, n numeric(10,2), t text);
INSERT INTO scan_source SELECT i, i % 100, i % 777 / 100.0, 'text ' || i % 10 FROM generate_series(1, 30000) i;
ANALYZE scan_source;
SET gpudb.force = on;
SET gpudb.debug_require = require;
CREATE TABLE scan_target AS SELECT id, k, n, t FROM scan_source WHERE k < 5;
SELECT count(*), sum(id), sum(n), count(t) FROM scan_target;
INSERT INTO scan_target SELECT id + 100000, k, n, t FROM scan_source WHERE t = 'text 7' AND k > 90;
SELECT count(*), sum(id), sum(n), count(t) FROM scan_target;
INSERT INTO scan_target SELECT -k, count(*), sum(n), min(k)::text FROM scan_source GROUP BY k HAVING k >= 95;
SELECT * FROM scan_target WHERE id < 0 ORDER BY id;
-- a table into itself sees the rows of before
INSERT INTO scan_target SELECT * FROM scan_target;
SELECT count(*), sum(id), sum(n), count(t) FROM scan_target;
WITH added AS (INSERT INTO scan_target SELECT 7777777, k, n, t FROM scan_source WHERE id <= 3 RETURNING id, k) SELECT count(*), sum(k), (SELECT count(*) FROM scan_target WHERE id = 7777777) AS not_yet FROM added;
SELECT count(*) FROM scan_target WHERE id = 7777777;
CREATE TABLE scan_groups AS SELECT k, count(*) AS c, sum(n) AS s, avg(n) AS a, max(t) AS m FROM scan_source GROUP BY k;
SELECT * FROM scan_groups WHERE k < 4 ORDER BY k;
CREATE MATERIALIZED VIEW scan_mat AS SELECT k, sum(n) AS s FROM scan_source WHERE k < 3 GROUP BY k;
SELECT * FROM scan_mat ORDER BY k;
UPDATE scan_source SET n = n + 1 WHERE k = 1;
REFRESH MATERIALIZED VIEW scan_mat;
SELECT * FROM scan_mat ORDER BY k;
CREATE TEMP TABLE scan_temp ON COMMIT DROP AS SELECT * FROM scan_source WHERE k = 2;
SELECT id, k INTO scan_into FROM scan_source WHERE k = 3;
SELECT count(*) FROM scan_into;
SET gpudb.debug_require = allow;
-- UPDATE, DELETE and MERGE with sources and subqueries
UPDATE scan_target SET n = s.c FROM (SELECT k, count(*) AS c FROM scan_source GROUP BY k) s WHERE s.k = scan_target.k AND scan_target.id < 1000;
SELECT count(*), sum(n) FROM scan_target;
UPDATE scan_source SET t = 'changed' WHERE n > (SELECT avg(n) FROM scan_source WHERE k = 5);
SELECT t = 'changed' AS changed, count(*) FROM scan_source GROUP BY 1 ORDER BY 1;
DELETE FROM scan_target USING scan_source s WHERE s.id = scan_target.id AND s.k = 2;
SELECT count(*), sum(id) FROM scan_target;
DELETE FROM scan_source WHERE id IN (SELECT id FROM scan_target WHERE k = 3);
SELECT count(*), sum(id) FROM scan_source;
MERGE INTO scan_groups g USING (SELECT k, sum(n) AS s FROM scan_source GROUP BY k) s ON g.k = s.k AND g.k < 50
	WHEN MATCHED THEN UPDATE SET s = s.s WHEN NOT MATCHED AND s.k > 97 THEN INSERT VALUES (s.k + 1000, 0, s.s, 0, 'new');
SELECT count(*), sum(s), max(k) FROM scan_groups;
INSERT INTO scan_groups SELECT k, count(*), 0, 0, '' FROM scan_source GROUP BY k ORDER BY k LIMIT 2 RETURNING *;
COPY (SELECT k, count(*) FROM scan_source WHERE k < 3 GROUP BY k ORDER BY k) TO STDOUT;
COPY (SELECT id, n, t FROM scan_source WHERE k = 99 AND id < 500) TO STDOUT (FORMAT csv);
-- a constraint's own query, and a trigger that reads the table it fires on
ALTER TABLE scan_source ADD PRIMARY KEY (id);
CREATE TABLE scan_reference (id int REFERENCES scan_source);
INSERT INTO scan_reference SELECT id FROM scan_source WHERE k = 10;
SELECT count(*) FROM scan_reference;
INSERT INTO scan_reference VALUES (-1);
CREATE FUNCTION scan_trigger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.k := (SELECT count(*) FROM scan_source WHERE k = 11); RETURN NEW; END $$;
CREATE TRIGGER scan_trigger BEFORE INSERT ON scan_source FOR EACH ROW EXECUTE FUNCTION scan_trigger();
INSERT INTO scan_source SELECT 200000 + i, 0, 0, 'by trigger' FROM generate_series(1, 3) i RETURNING id, k;
DROP TABLE scan_reference, scan_source, scan_target, scan_groups, scan_into CASCADE;
DROP FUNCTION scan_trigger;
