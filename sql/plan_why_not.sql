-- gpudb.why_not(): a row for each scan and each aggregate of a query, and for each node that joins
CREATE TABLE plan_why_not (id int NOT NULL, k int, t text, b bytea, iv interval);
INSERT INTO plan_why_not SELECT i, i % 10, 't' || i, '\x00', i * interval '1 s' FROM generate_series(1, 1000) i;
ANALYZE plan_why_not;
CREATE VIEW plan_why_not_view AS SELECT * FROM plan_why_not;
-- too small by itself
SELECT relation, part, node, reason FROM gpudb.why_not('SELECT sum(id) FROM plan_why_not WHERE k = 3');
SELECT relation, part, node, reason FROM gpudb.why_not('SELECT x.id, z.s FROM plan_why_not x JOIN plan_why_not y USING (id) JOIN (SELECT k, t, stddev(id) AS s FROM plan_why_not GROUP BY k, t) z ON z.k = x.k');
SET gpudb.force = on;
SELECT * FROM gpudb.why_not('SELECT sum(id) FROM plan_why_not WHERE k = 3');
SELECT relation, part, node, reason FROM gpudb.why_not('SELECT k, upper(t) FROM plan_why_not AS w WHERE upper(t) = k::text');
SELECT relation, part, node, reason FROM gpudb.why_not('SELECT string_agg(t, '','') FROM plan_why_not WHERE id > 3');
SELECT relation, part, node, reason FROM gpudb.why_not('SELECT iv, count(*) FROM plan_why_not GROUP BY iv');
SELECT relation, part, node, reason FROM gpudb.why_not('SELECT count(*) FROM plan_why_not WHERE b = ''\x00''');
SELECT relation, part, node, reason FROM gpudb.why_not('SELECT count(*) FROM plan_why_not WHERE random() < 2');
SELECT relation, part, node, reason FROM gpudb.why_not('SELECT count(DISTINCT k), count(*) FROM plan_why_not');
SELECT relation, part, node, reason FROM gpudb.why_not('SELECT sum(r) FROM (SELECT row_number() OVER (ORDER BY id) AS r FROM plan_why_not) q');
SELECT relation, part, node, reason FROM gpudb.why_not('SELECT xmin FROM plan_why_not WHERE k = 1');
SELECT relation, part, node, reason FROM gpudb.why_not('SELECT * FROM plan_why_not WHERE k = 1 FOR UPDATE');
SELECT relation, part, node, reason FROM gpudb.why_not('UPDATE plan_why_not SET k = 2 WHERE k = 1');
SELECT relation, part, node, reason FROM gpudb.why_not('SELECT count(*) FROM plan_why_not x JOIN plan_why_not y USING (id) WHERE x.k = 1 AND upper(y.t) = y.k::text');
SELECT relation, part, node, reason FROM gpudb.why_not('SELECT count(*) FROM plan_why_not_view WHERE k = (SELECT max(k) FROM plan_why_not i WHERE i.id < 500)');
SELECT relation, part, node, reason FROM gpudb.why_not('SELECT count(*) FROM plan_why_not x JOIN plan_why_not y USING (id) LEFT JOIN plan_why_not z ON z.id = y.k WHERE x.k = 1');
SELECT relation, part, node, reason FROM gpudb.why_not('SELECT count(*) FROM plan_why_not x JOIN plan_why_not y ON upper(x.t) = upper(y.t)');
SET gpudb.enabled = off;
SELECT relation, part, node, reason FROM gpudb.why_not('SELECT sum(id) FROM plan_why_not WHERE k = 3');
RESET gpudb.enabled;
-- no relation, no row
SELECT * FROM gpudb.why_not('SELECT 1');
-- what is no query
SELECT * FROM gpudb.why_not('SELECT 1; SELECT 2');
SELECT * FROM gpudb.why_not('');
SELECT * FROM gpudb.why_not('VACUUM');
SELECT * FROM gpudb.why_not('SELECT count(*) FROM no_such_table');
SELECT * FROM gpudb.why_not('SELEC');
SELECT * FROM gpudb.why_not(NULL);
-- planning inside planning is not mixed up, and an error leaves nothing behind
CREATE FUNCTION plan_why_not_count() RETURNS int8 LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN (SELECT count(*) FROM gpudb.why_not('SELECT count(*) FROM plan_why_not')); END $$;
SELECT plan_why_not_count(), plan_why_not_count();
-- every reason has a meaning, and counters go up
SELECT gpudb.stat_reset();
SELECT count(*) FROM plan_why_not WHERE k = 3;
SELECT count(*) FROM plan_why_not WHERE upper(t) = k::text;
SELECT sum(1 / (id - 5)) FROM plan_why_not;
SELECT event, reason, count > 0 AS counted, meaning IS NOT NULL AS meant FROM gpudb.stat ORDER BY event, reason;
SELECT count(*) FROM gpudb.sql_support WHERE name = 'sum(numeric)';
DROP FUNCTION plan_why_not_count;
DROP VIEW plan_why_not_view;
DROP TABLE plan_why_not;
