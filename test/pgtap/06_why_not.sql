-- gpudb.why_not(): each reason code that it may tell, its rows and their order, errors, and what transactions and settings do to it.
\set ON_ERROR_STOP on
CREATE SCHEMA gpudb_tap_why_not;
SET search_path = gpudb_tap_why_not, public;
CREATE COLLATION whatever (provider = icu, locale = 'und', deterministic = false);
CREATE TABLE facts (id int PRIMARY KEY, k int, n numeric, t text, word text COLLATE whatever, raw bytea, iv interval, document json, wide numeric(60,50), flags bit varying(3));
INSERT INTO facts SELECT i, i % 10, CASE WHEN i = 25000 THEN 'NaN' ELSE i / 8.0 END, 't' || i, 'w' || i % 10, '\x00', i * interval '1 s', '{}', i, b'101' FROM generate_series(1, 30000) i;
CREATE TABLE few AS SELECT i AS id, i % 10 AS k, 't' || i AS t FROM generate_series(1, 100) i;
CREATE TABLE parts (id int, k int) PARTITION BY LIST (k);
CREATE TABLE parts_0 PARTITION OF parts FOR VALUES IN (0);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES IN (1);
INSERT INTO parts SELECT i, i % 2 FROM generate_series(1, 1000) i;
CREATE VIEW facts_view AS SELECT id, k FROM facts WHERE k > 3;
VACUUM ANALYZE;
SELECT pg_stat_force_next_flush() \g /dev/null

SELECT plan(81);

-- Tell what gpudb.why_not() says of a query: part, relation, node or reason of each row.
CREATE FUNCTION pg_temp.told(query text) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(concat_ws(' ', part, nullif(relation, ''), '->', node, reason), '; ') FROM gpudb.why_not(query)
$$;

-- Nodes
SET gpudb.force = on;
SELECT is(pg_temp.told('SELECT id FROM few WHERE k = 3'), 'scan few -> GpuScan', 'a scan');
SELECT is(pg_temp.told('SELECT sum(id) FROM few WHERE k = 3'), 'scan few -> GpuAgg; aggregate few -> GpuAgg', 'an aggregate, and the scan below');
SELECT is(pg_temp.told('SELECT f.id FROM few AS f WHERE f.k = 3'), 'scan f -> GpuScan', 'a relation is named by its alias');
SELECT is(pg_temp.told('SELECT count(*) FROM facts_view'), 'scan facts -> GpuAgg; aggregate facts -> GpuAgg', 'what a view reads is named as in the view');
SELECT matches(pg_temp.told('SELECT count(*) FROM few b JOIN few a USING (id) WHERE a.k = 1'), 'join a, b -> GpuAgg$', 'a join is named by its aliases, in alphabetical order');
SELECT matches(pg_temp.told('SELECT count(*) FROM few WHERE k = (SELECT max(k) FROM few i WHERE i.id < 500)'), 'scan i -> GpuAgg; aggregate i -> GpuAgg;.*scan few', 'a subquery has rows of its own');
SELECT is(pg_temp.told('SELECT sum(r) FROM (SELECT row_number() OVER (ORDER BY id) AS r FROM few) q'), 'scan few -> GpuScan; aggregate -> GpuSortAgg', 'an aggregate over sorted rows has no relation');
SELECT is(pg_temp.told('INSERT INTO few SELECT id FROM few WHERE k = 3'), 'scan few -> GpuScan', 'a source of INSERT');
SELECT is_empty($$SELECT * FROM gpudb.why_not('SELECT 1')$$, 'without a relation there is no row');
SELECT is_empty($$SELECT * FROM gpudb.why_not('VALUES (1), (2)')$$, 'VALUES has no row');
SELECT is_empty($$SELECT * FROM gpudb.why_not('INSERT INTO few VALUES (1)')$$, 'a relation that is only written has no row');
SELECT is_empty($$SELECT * FROM gpudb.why_not('SELECT sum(id) FROM few') WHERE part NOT IN ('scan', 'join', 'aggregate')$$, 'parts are scans, joins and aggregates');
SELECT is_empty($$SELECT * FROM gpudb.why_not('SELECT id FROM few WHERE k = 3') WHERE num_nulls(reason, meaning) <> 2$$, 'what a node takes has neither reason nor meaning');
SELECT is_empty($$SELECT * FROM gpudb.why_not('SELECT id FROM few WHERE upper(t) = k::text') WHERE num_nulls(node, reason, meaning) <> 1$$, 'what none takes has both');
SELECT is((SELECT id FROM few WHERE id = 3), 3, 'the query is planned, and not run') FROM gpudb.why_not('DELETE FROM few WHERE id = 3');

-- Reasons
SELECT is(pg_temp.told(query), answer, format('%s: %s', substring(answer FROM '\w+$'), query))
FROM (VALUES
	('SELECT id FROM few WHERE upper(t) = k::text', 'scan few -> expression'),
	('SELECT string_agg(t, '','') FROM few WHERE id > 3', 'scan few -> GpuScan; aggregate few -> expression'),
	('SELECT count(*) FROM facts WHERE raw = ''\x00''', 'scan facts -> expression; aggregate facts -> expression'),
	('SELECT iv, count(*) FROM facts WHERE k = 1 GROUP BY iv', 'scan facts -> GpuScan; aggregate facts -> data_type'),
	('SELECT id FROM few WHERE random() < 2', 'scan few -> volatile_function'),
	('SELECT xmin FROM few WHERE k = 1', 'scan few -> system_column'),
	('SELECT * FROM few WHERE k = 1 FOR UPDATE', 'scan few -> row_marks'),
	('SELECT * FROM few WHERE k = 1 FOR KEY SHARE', 'scan few -> row_marks'),
	('UPDATE few SET k = 2 WHERE k = 1', 'scan few -> row_marks'),
	('DELETE FROM few WHERE k = 1', 'scan few -> row_marks'),
	('MERGE INTO few USING (VALUES (1)) v (id) ON few.id = v.id WHEN MATCHED AND k = 1 THEN DELETE', 'scan few -> row_marks'),
	('SELECT id FROM few TABLESAMPLE SYSTEM (100) WHERE k = 1', 'scan few -> relation_kind'),
	('SELECT id, pg_column_size(t) FROM few WHERE k = 1', 'scan few -> stored_form'),
	('SELECT pg_column_compression(t) FROM few WHERE k = 1', 'scan few -> stored_form'),
	('SELECT id FROM few WHERE tableoid = 1', 'scan few -> system_column'),
	('SELECT id, ctid, tableoid FROM few WHERE k = 1', 'scan few -> GpuScan'),
	('WITH gone AS (DELETE FROM few WHERE k = 3 RETURNING id) SELECT id FROM gone', 'scan few -> row_marks'),
	('SELECT sum(wide) FROM facts', 'scan facts -> GpuScan; aggregate facts -> data_type'),
	('SELECT flags, count(*) FROM facts GROUP BY 1', 'scan facts -> GpuScan; aggregate facts -> data_type'),
	('SELECT document FROM facts WHERE k = 3', 'scan facts -> GpuScan'),
	('SELECT id FROM facts WHERE word = t', 'scan facts -> collation'),
	('SELECT id FROM facts WHERE t > word COLLATE "en-x-icu"', 'scan facts -> collation'),
	('SELECT max(word) FROM facts', 'scan facts -> GpuScan; aggregate facts -> collation'),
	('SELECT count(*) FROM generate_series(1, 3)', 'aggregate -> relation_kind'),
	('SELECT count(*) FROM few a FULL JOIN few b USING (id)', 'scan a -> GpuJoin; scan b -> GpuScan; aggregate a -> full_join; join a, b -> GpuJoin'),
	('SELECT a.id, b.id, c.id FROM few a FULL JOIN few b USING (id) LEFT JOIN few c ON c.id = a.id + b.id',
		'scan a -> GpuJoin; scan b -> GpuScan; scan c -> GpuScan; join a, b, c -> full_join; join a, b -> GpuJoin')) v (query, answer);
SELECT matches(pg_temp.told('SELECT f.id, g.x FROM few f, LATERAL (SELECT sum(id) AS x FROM few WHERE few.k = f.k) g'), 'join f, few -> relation_kind$', 'relation_kind: a join that is LATERAL');
SELECT matches(pg_temp.told('SELECT id FROM parts WHERE k = (SELECT max(k) % 2 FROM few)'), 'scan parts -> GpuScan; scan parts -> GpuScan; scan parts -> relation_kind$',
	'relation_kind: a parent, whose partitions have scans of their own');
SET gpudb.enabled = off;
SELECT is(pg_temp.told('SELECT sum(id) FROM few WHERE k = 3'), 'scan few -> disabled; aggregate few -> disabled', 'disabled: gpudb.enabled is off');
RESET gpudb.enabled;
RESET gpudb.force;
SELECT is(pg_temp.told('SELECT sum(id) FROM few WHERE k = 3'), 'scan few -> too_small; aggregate few -> too_small', 'too_small: 100 rows');
SELECT is(pg_temp.told('SELECT k FROM facts WHERE id = 77'), 'scan facts -> cost', 'cost: an index finds the row');
SET gpudb.join_memory = '1MB';
SET work_mem = '64kB';
SELECT matches(pg_temp.told('SELECT t, count(*) FROM facts GROUP BY t'), 'aggregate facts -> memory_limit', 'memory_limit: more groups than fit gpudb.join_memory');
RESET work_mem;
RESET gpudb.join_memory;
SET gpudb.force = on;
SELECT sum(n) FROM facts \g /dev/null
RESET gpudb.force;
SELECT matches(pg_temp.told('SELECT sum(n) FROM facts'), 'aggregate facts -> runtime_error', 'runtime_error: an aggregate met a value that only PostgreSQL can answer for');
SELECT doesnt_match(pg_temp.told('SELECT sum(id) FROM facts'), 'runtime_error', 'runtime_error: a query over other columns has no such reason');
SET gpudb.force = on;
UPDATE facts SET n = 1 WHERE id = 25000;
SELECT pg_stat_force_next_flush() \g /dev/null
RESET gpudb.force;
SELECT doesnt_match(pg_temp.told('SELECT sum(n) FROM facts'), 'runtime_error', 'runtime_error: a relation that has changed has no such reason');
SELECT is(meaning, 'gpudb.enabled is off', 'a reason has its meaning') FROM set_config('gpudb.enabled', 'off', false) off, gpudb.why_not('SELECT id FROM few WHERE k = 3');
RESET gpudb.enabled;

-- Errors
SELECT throws_ok(format('SELECT * FROM gpudb.why_not(%L)', query), code, message, format('%s: %s', code, query))
FROM (VALUES
	('', '42601', 'gpudb.why_not() takes one query'),
	('  ;  ', '42601', 'gpudb.why_not() takes one query'),
	('-- nothing', '42601', 'gpudb.why_not() takes one query'),
	('SELECT 1; SELECT 2', '42601', 'gpudb.why_not() takes one query'),
	('SELEC', '42601', 'syntax error at or near "SELEC"'),
	('SELECT id FROM few WHERE', '42601', 'syntax error at end of input'),
	('VACUUM', '42809', 'gpudb.why_not() takes a query that can be planned'),
	('EXPLAIN SELECT 1', '42809', 'gpudb.why_not() takes a query that can be planned'),
	('BEGIN', '42809', 'gpudb.why_not() takes a query that can be planned'),
	('CREATE TABLE made (id int)', '42809', 'gpudb.why_not() takes a query that can be planned'),
	('CREATE TABLE made AS SELECT id FROM few', '42809', 'gpudb.why_not() takes a query that can be planned'),
	('SELECT id INTO made FROM few', '42809', 'gpudb.why_not() takes a query that can be planned'),
	('DECLARE c CURSOR FOR SELECT id FROM few', '42809', 'gpudb.why_not() takes a query that can be planned'),
	('COPY few TO STDOUT', '42809', 'gpudb.why_not() takes a query that can be planned'),
	('SELECT count(*) FROM no_such_table', '42P01', 'relation "no_such_table" does not exist'),
	('SELECT no_such_column FROM few', '42703', 'column "no_such_column" does not exist'),
	('SELECT no_such_function(id) FROM few', '42883', NULL),
	('SELECT id FROM few WHERE id = ''x''', '22P02', NULL),
	('SELECT id FROM few WHERE 1 / 0 = k', '22012', 'division by zero'),
	('SELECT id FROM few WHERE id = $1', '42P02', NULL)) v (query, code, message);
BEGIN;
CREATE RULE twice AS ON INSERT TO few DO ALSO SELECT 1;
SELECT throws_ok($$SELECT * FROM gpudb.why_not('INSERT INTO few VALUES (1)')$$, '42809', NULL, '42809: a query of which a rule makes two');
ROLLBACK;
BEGIN;
CREATE TABLE own AS SELECT 1 AS id;
SELECT is(pg_temp.told('SELECT id FROM own WHERE id = 1'), 'scan own -> too_small', 'a table of the own transaction');
SELECT throws_ok($$SELECT * FROM gpudb.why_not('SELECT id FROM no_such_table')$$, '42P01', NULL, 'an error of the query is raised in a transaction');
SELECT is(pg_temp.told('SELECT id FROM own WHERE id = 1'), 'scan own -> too_small', 'an error leaves nothing behind');
ROLLBACK;
SELECT is_empty($$SELECT * FROM gpudb.why_not(NULL)$$, 'no row for no query');
SELECT is(pg_temp.told('SELECT id FROM few WHERE k = 3;'), 'scan few -> too_small', 'a semicolon may end the query');
SELECT is(pg_temp.told('SELECT id FROM few /* k */ WHERE k = 3 -- three'), 'scan few -> too_small', 'a query may have comments');
SELECT throws_ok($$SELECT gpudb.why_not(1)$$, '42883', NULL, 'a number is no query');
SELECT throws_ok($$SELECT gpudb.why_not('SELECT 1', 'SELECT 2')$$, '42883', NULL, 'there is one query, and not two');
SELECT lives_ok($$SELECT why.* FROM unnest('{SELECT id FROM few,SELECT k FROM few}'::text[]) query, gpudb.why_not(query) why$$, 'gpudb.why_not() may be called for each row');

SELECT * FROM finish();
DROP SCHEMA gpudb_tap_why_not CASCADE;
