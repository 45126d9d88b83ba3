-- Views: what they tell of columns that were cached, used, changed and dropped; counters and their reset; calibration; devices; what is
-- supported.  Whatever device the server has, columns are cached by gpudb.prewarm(), and queries run on the device of its configuration.
\set ON_ERROR_STOP on
CREATE SCHEMA gpudb_tap_views;
SET search_path = gpudb_tap_views, public;
-- Two tablets: 1,021 pages of two rows, and the others.
CREATE TABLE facts (id int NOT NULL, k int, any_scale numeric, word text, filler text) WITH (autovacuum_enabled = off);
ALTER TABLE facts ALTER filler SET STORAGE PLAIN;
INSERT INTO facts SELECT i, nullif(i % 10, 0), i * 0.0625, 'word ' || i % 20, repeat('-', 3500) FROM generate_series(1, 2400) i;
-- A column whose texts are too long for a dictionary, which no statistics tell.
CREATE TABLE letters (id int, body text) WITH (autovacuum_enabled = off);
INSERT INTO letters SELECT i, CASE WHEN i = 300 THEN repeat('long ', 1000) ELSE 'short' END FROM generate_series(1, 500) i;
VACUUM ANALYZE facts;
VACUUM letters;

SELECT plan(94);

-- Before anything is cached
SELECT is_empty($$SELECT * FROM gpudb.tablets WHERE relation = 'facts'::regclass$$, 'gpudb.tablets: nothing is cached at first');
SELECT is_empty($$SELECT * FROM gpudb.cache WHERE relation = 'facts'::regclass$$, 'gpudb.cache: nothing');
SELECT is_empty($$SELECT * FROM gpudb.dictionaries WHERE relation = 'facts'::regclass$$, 'gpudb.dictionaries: nothing');
SELECT is_empty($$SELECT * FROM gpudb.progress$$, 'gpudb.progress: nothing is being built');

-- After gpudb.prewarm()
SELECT clock_timestamp() AS before \gset
SELECT gpudb.prewarm('facts', '{id,k,any_scale,word}') \g /dev/null
SELECT results_eq($$SELECT column_name, first_block, blocks, blocks_lost, rows FROM gpudb.tablets WHERE relation = 'facts'::regclass
		AND column_name IN ('id', 'k', 'word') ORDER BY 1, 2$$,
	$$SELECT c.name, t.first_block, t.blocks, 0, 2 * t.blocks FROM unnest('{id,k,word}'::text[]) c (name), (VALUES (0::bigint, 1021), (1021, 179)) t (first_block, blocks) ORDER BY 1, 2$$,
	'gpudb.tablets: a row for each column of each tablet');
SELECT results_eq($$SELECT first_block, count(*) FROM gpudb.tablets WHERE relation = 'facts'::regclass AND column_name = 'any_scale' GROUP BY 1 ORDER BY 1$$,
	$$VALUES (0::bigint, 2::bigint), (1021, 2)$$, 'gpudb.tablets: two rows for a numeric without a declared scale, whose display scale is stored beside it');
SELECT is_empty($$SELECT form FROM gpudb.tablets WHERE form <> ALL ('{SAME,U8,U16,U32,I64,I128,F32,F64,BOOL,TEXT}')$$, 'gpudb.tablets: all forms are documented ones');
SELECT is_empty($$SELECT * FROM gpudb.tablets WHERE relation = 'facts'::regclass AND (bytes < 0 OR bytes_raw <= 0 OR bytes > bytes_raw)$$,
	'an encoded column takes no more than one that is not');
SELECT is(form, 'U16', 'integers from 1 to 2,400 are stored in 16 bits') FROM gpudb.tablets WHERE relation = 'facts'::regclass AND column_name = 'id' AND first_block = 0;
SELECT is(form, 'U8', 'texts with few values by codes of 8 bits') FROM gpudb.tablets WHERE relation = 'facts'::regclass AND column_name = 'word' AND first_block = 0;
SELECT is_empty($$SELECT * FROM gpudb.tablets WHERE relation = 'facts'::regclass AND (hits, rebuilds, unused) <> (0, 0, 0)$$, 'gpudb.tablets: no query has used the tablets');
SELECT is_empty(format($$SELECT last_use FROM gpudb.tablets WHERE relation = 'facts'::regclass AND last_use NOT BETWEEN %L AND clock_timestamp()$$, :'before'),
	'last_use is the time of building');
SELECT is(columns, '{any_scale,id,k,word}', 'gpudb.cache: names of columns, in order') FROM gpudb.cache WHERE relation = 'facts'::regclass;
SELECT is(tablets, 2::bigint, 'gpudb.cache: tablets') FROM gpudb.cache WHERE relation = 'facts'::regclass;
SELECT is(percent_valid, 100.0, 'gpudb.cache: all is valid') FROM gpudb.cache WHERE relation = 'facts'::regclass;
SELECT is(hits + bytes_saved + rebuilds + unused, 0::bigint, 'gpudb.cache: nothing was used') FROM gpudb.cache WHERE relation = 'facts'::regclass;
SELECT results_eq($$SELECT bytes, bytes_raw, last_use FROM gpudb.cache WHERE relation = 'facts'::regclass$$,
	$$SELECT sum(bytes)::bigint, sum(bytes_raw)::bigint, max(last_use) FROM gpudb.tablets WHERE relation = 'facts'::regclass$$, 'gpudb.cache sums up gpudb.tablets');
SELECT results_eq($$SELECT column_name, entries, refused FROM gpudb.dictionaries WHERE relation = 'facts'::regclass$$, $$VALUES ('word', 20, false)$$,
	'gpudb.dictionaries: a row for the text column, with the number of its values');
SELECT cmp_ok(bytes, '>', 20::bigint, 'gpudb.dictionaries: bytes') FROM gpudb.dictionaries WHERE relation = 'facts'::regclass;
SELECT gpudb.prewarm('letters') \g /dev/null
SELECT results_eq($$SELECT column_name, refused FROM gpudb.dictionaries WHERE relation = 'letters'::regclass$$, $$VALUES ('body', true)$$,
	'gpudb.dictionaries: a column with a long text is refused one');
SELECT is(form, 'TEXT', 'gpudb.tablets: texts without a dictionary are stored as they are') FROM gpudb.tablets WHERE relation = 'letters'::regclass AND column_name = 'body';
SELECT bag_eq('SELECT t::text FROM gpudb.tablets t', 'SELECT t::text FROM gpudb.tablets() t', 'the view gpudb.tablets shows what its function returns');
SELECT bag_eq('SELECT d::text FROM gpudb.dictionaries d', 'SELECT d::text FROM gpudb.dictionaries() d', 'the view gpudb.dictionaries shows what its function returns');
SELECT throws_ok('SELECT relation FROM gpudb.tablets() WHERE relation = ''no_such_table''::regclass', '42P01', NULL, 'a relation that does not exist');

-- After queries
SET gpudb.force = on;
SET max_parallel_workers_per_gather = 0;
SELECT clock_timestamp() AS before \gset
SELECT sum(id), count(k) FROM facts \gset
SELECT is(:'sum' || ' ' || :'count', '2881200 2160', 'a query over cached columns has the right answer');
RESET gpudb.force;
SELECT results_eq($$SELECT DISTINCT first_block, hits FROM gpudb.tablets WHERE relation = 'facts'::regclass ORDER BY 1$$, $$VALUES (0::bigint, 1::bigint), (1021, 1)$$,
	'a query is a hit of each tablet that it used');
SELECT results_eq($$SELECT hits, bytes_saved FROM gpudb.cache WHERE relation = 'facts'::regclass$$,
	$$SELECT 2::bigint, pg_relation_size('facts')$$, 'gpudb.cache: the query has not read the bytes of the table');
SELECT cmp_ok(last_use, '>', :'before'::timestamptz, 'last_use moves') FROM gpudb.cache WHERE relation = 'facts'::regclass;
SELECT is(sum(hits), 0::numeric, 'relations that the query has not read have no hits') FROM gpudb.tablets WHERE relation = 'letters'::regclass;
DELETE FROM facts WHERE ctid IN ('(5,1)', '(1100,1)', '(1101,2)');
VACUUM facts;
SET gpudb.force = on;
SELECT sum(id), count(k) FROM facts \gset
RESET gpudb.force;
SELECT results_eq($$SELECT DISTINCT first_block, blocks_lost > 0, blocks_lost < 10 FROM gpudb.tablets WHERE relation = 'facts'::regclass AND column_name = 'id' ORDER BY 1$$,
	$$VALUES (0::bigint, true, true), (1021, true, true)$$, 'a query notes that blocks have changed');
SELECT ok(percent_valid < 100 AND percent_valid > 99, 'gpudb.cache: nearly all is valid') FROM gpudb.cache WHERE relation = 'facts'::regclass;
SELECT is((SELECT percent_valid FROM gpudb.cache WHERE relation = 'facts'::regclass),
	(SELECT round(100 * (1 - sum(blocks_lost)::numeric / sum(blocks)), 1) FROM gpudb.tablets WHERE relation = 'facts'::regclass), 'gpudb.cache: the part of all blocks that is not lost, to a tenth of a percent');
UPDATE facts SET k = k + 1;
VACUUM facts;
SELECT gpudb.prewarm('facts', '{id}') \g /dev/null
SELECT cmp_ok(rebuilds, '>', 0::bigint, 'gpudb.cache: tablets that were built anew') FROM gpudb.cache WHERE relation = 'facts'::regclass;
SELECT is(unused, 0::bigint, 'gpudb.cache: a query had used the tablets that were built anew') FROM gpudb.cache WHERE relation = 'facts'::regclass;
SELECT ok(bool_and(hits >= 1), 'tablets inherit hits of those that they replace') FROM gpudb.tablets WHERE relation = 'facts'::regclass AND first_block = 0;

-- Names, and what is dropped
ALTER TABLE letters RENAME COLUMN body TO content;
ALTER TABLE letters RENAME TO mail;
SELECT results_eq($$SELECT column_name FROM gpudb.tablets WHERE relation = 'mail'::regclass ORDER BY 1$$, ARRAY['content', 'id'], 'views show the names of today');
SELECT is(column_name, 'content', 'gpudb.dictionaries shows the names of today') FROM gpudb.dictionaries WHERE relation = 'mail'::regclass;
ALTER TABLE mail DROP COLUMN content;
SELECT results_eq($$SELECT column_name FROM gpudb.tablets WHERE relation = 'mail'::regclass ORDER BY 1$$, ARRAY['id'], 'gpudb.tablets does not show a column that was dropped');
SELECT is(columns, '{id}', 'gpudb.cache does not show a column that was dropped') FROM gpudb.cache WHERE relation = 'mail'::regclass;
SELECT is_empty($$SELECT * FROM gpudb.dictionaries WHERE relation = 'mail'::regclass$$, 'gpudb.dictionaries does not show a column that was dropped');
SELECT 'mail'::regclass::oid AS mail \gset
DROP TABLE mail;
SELECT is_empty(format('SELECT * FROM gpudb.tablets WHERE relation = %s::oid', :mail), 'gpudb.tablets does not show a table that was dropped');
SELECT is_empty(format('SELECT * FROM gpudb.cache WHERE relation = %s::oid', :mail), 'gpudb.cache does not show a table that was dropped');
TRUNCATE facts;
SELECT is_empty($$SELECT * FROM gpudb.tablets WHERE relation = 'facts'::regclass$$, 'TRUNCATE makes a new file, of which nothing is cached');

-- Other databases
INSERT INTO facts SELECT i, i FROM generate_series(1, 100) i;
VACUUM facts;
SELECT gpudb.prewarm('facts', '{id}') \g /dev/null
CREATE DATABASE gpudb_tap_views_other;
\set said `psql -XqAt -d gpudb_tap_views_other -c "CREATE EXTENSION gpudb" -c "SELECT count(*) FROM gpudb.tablets" -c "SELECT count(*) FROM gpudb.cache" -c "SELECT count(*) FROM gpudb.dictionaries" -c "SELECT count(*) FROM gpudb.admission" 2>&1`
SELECT is(:'said'::text, E'0\n0\n0\n0', 'a database shows nothing of another one''s relations');
\set said `psql -XqAt -d gpudb_tap_views_other -c "CREATE TABLE t AS SELECT 1 AS id" -c "VACUUM t" -c "SELECT gpudb.prewarm('t')" -c "SELECT relation, columns FROM gpudb.cache" 2>&1`
SELECT is(:'said'::text, E'1\nt|{id}', 'a database shows its own relations');
SELECT isnt_empty($$SELECT * FROM gpudb.tablets WHERE relation = 'facts'::regclass$$, 'a database goes on to show its own relations beside another one');
DROP DATABASE gpudb_tap_views_other WITH (FORCE);

-- gpudb.stat.  Counters are of the whole server, in which nobody else is at work; they are read by statements that count nothing.
CREATE TABLE counted AS SELECT i AS id, i % 10 AS k, 't' || i AS t FROM generate_series(1, 1000) i;
VACUUM ANALYZE counted;
SET gpudb.enabled = off;
SELECT gpudb.stat_reset() \g /dev/null
SELECT array_to_string(ARRAY(SELECT concat_ws(' ', event, reason, count) FROM gpudb.stat WHERE event <> 'refused'), ', ') AS after_reset \gset
SELECT is(:'after_reset'::text, 'executed 0', 'gpudb.stat_reset() sets counters to zero: the first row is there, and none of a fallback');
RESET gpudb.enabled;
CREATE FUNCTION pg_temp.count_of(of_event text, of_reason text) RETURNS bigint LANGUAGE sql AS
	$$SELECT coalesce((SELECT count FROM gpudb.stat WHERE event = of_event AND reason IS NOT DISTINCT FROM of_reason), 0)$$;
SELECT pg_temp.count_of('executed', NULL) AS executed, pg_temp.count_of('refused', 'expression') AS refused, pg_temp.count_of('fallback', 'runtime_error') AS fallback \gset
SET gpudb.force = on;
SELECT count(*) FROM counted WHERE k = 3 \g /dev/null
RESET gpudb.force;
SELECT is(pg_temp.count_of('executed', NULL) - :executed, 1::bigint, 'executed: a node that ran to its end');
SET gpudb.force = on;
SELECT count(*) FROM counted WHERE upper(t) = k::text \g /dev/null
RESET gpudb.force;
SELECT cmp_ok(pg_temp.count_of('refused', 'expression') - :refused, '>=', 1::bigint, 'refused: a scan that no node could take');
SET gpudb.force = on;
SET gpudb.debug_fail = 0;
SELECT sum(id) FROM counted WHERE k = 5 \g /dev/null
RESET gpudb.debug_fail;
RESET gpudb.force;
SELECT cmp_ok(pg_temp.count_of('fallback', 'runtime_error') - :fallback, '>=', 1::bigint, 'fallback: a node for which PostgreSQL answered');
SELECT is(pg_temp.count_of('executed', NULL) - :executed, 1::bigint, 'executed: no node that fell back');
SELECT is_empty($$SELECT * FROM gpudb.stat WHERE event <> ALL ('{executed,fallback,left to cpu,refused}')$$, 'gpudb.stat: all events are documented ones');
SELECT is_empty($$SELECT * FROM gpudb.stat WHERE (reason IS NULL) <> (event = 'executed')$$, 'gpudb.stat: all rows have a reason but the first');
SELECT is_empty($$SELECT * FROM gpudb.stat WHERE meaning IS NULL OR (count <= 0 AND event <> 'executed')$$, 'gpudb.stat: all rows have a meaning, and were counted');
SELECT is_empty($$SELECT event, reason FROM gpudb.stat GROUP BY 1, 2 HAVING count(*) > 1$$, 'gpudb.stat: no row is there twice');
SELECT results_eq($$SELECT event FROM gpudb.stat LIMIT 1$$, ARRAY['executed'], 'the first row counts what was executed');
\set said `psql -XqAt -c "SET gpudb.force = on" -c "SELECT count(*) FROM gpudb_tap_views.counted WHERE k = 3" 2>&1`
SELECT is(pg_temp.count_of('executed', NULL) - :executed, 2::bigint, 'executed: nodes of another session count, too');

-- gpudb.calibration
SELECT bag_eq('SELECT c::text FROM gpudb.calibration c', 'SELECT c::text FROM gpudb.calibration() c', 'the view gpudb.calibration shows what its function returns');
SELECT isnt_empty('SELECT * FROM gpudb.calibration', 'gpudb.calibration has figures, measured or not');
SELECT is_empty('SELECT figure FROM gpudb.calibration GROUP BY 1 HAVING count(*) > 1', 'gpudb.calibration has each figure once');
SELECT bag_eq('SELECT DISTINCT device FROM gpudb.calibration', ARRAY['postgres', 'cpu', 'gpu'], 'gpudb.calibration has figures of PostgreSQL, the CPU and the GPU');
SELECT is_empty('SELECT figure FROM gpudb.calibration WHERE nanoseconds IS NULL OR NOT nanoseconds > 0 OR nanoseconds > 1e9', 'gpudb.calibration: all figures are positive, and less than a second');
SELECT is_empty('SELECT figure FROM gpudb.calibration WHERE (measured IS NULL) <> (calibrations = 0)', 'gpudb.calibration: figures of no calibration are guesses');
SELECT is_empty('SELECT figure FROM gpudb.calibration WHERE calibrations < 0 OR measured > clock_timestamp()', 'gpudb.calibration: no figure was measured in the future');
SELECT is_empty($$SELECT figure FROM gpudb.calibration WHERE coalesce(meaning, '') = ''$$, 'gpudb.calibration: all figures have a meaning');
SELECT is(device, 'cpu', 'cpu_thread, a ratio, is one of the CPU''s') FROM gpudb.calibration WHERE figure = 'cpu_thread';
SELECT is(gpudb.doctor() ~ 'The cost model is not calibrated', measured IS NULL, 'gpudb.doctor() tells whether they are guesses') FROM gpudb.calibration WHERE figure = 'cpu_start';

-- gpudb.devices
SELECT is_empty($$SELECT * FROM gpudb.devices WHERE current_setting('gpudb.provider') <> 'auto'$$, 'gpudb.devices: none with other providers than CUDA');
SELECT is_empty($$SELECT * FROM gpudb.devices WHERE kind <> 'gpu' OR coalesce(name, '') = '' OR uuid NOT LIKE 'GPU-%' OR NOT memory > 0 OR NOT memory_used BETWEEN 0 AND memory
	OR NOT cached BETWEEN 0 AND memory_used OR capability !~ '^\d+\.\d+$' OR coalesce(driver, '') = '' OR coalesce(state, '') = ''$$, 'gpudb.devices: what there is makes sense');
SELECT cmp_ok(count(*), '<=', 1::bigint, 'gpudb.devices: one GPU is in use at most') FROM gpudb.devices WHERE state = 'in use';

-- gpudb.doctor()
SELECT is_empty($$SELECT line FROM regexp_split_to_table(gpudb.doctor(), '\n') line WHERE line !~ '^(?:[A-Z]|gpudb\.|max_worker_processes).*[.)]$' AND line !~ '^\d+ of \d+ pages'$$,
	'gpudb.doctor() speaks in sentences');
SELECT matches(gpudb.doctor(), '(?n)^Queries run on (the CPU device|the GPU)', 'gpudb.doctor() tells what queries run on');
SELECT matches(gpudb.doctor(), '(?n)^The cost model is ', 'gpudb.doctor() tells of the calibration');
SELECT matches(gpudb.doctor(), '(?n)^Cached columns take [\d.]+ of 64\.0 MB', 'gpudb.doctor() tells how much is cached');
SELECT matches(gpudb.doctor(), 'gpudb\.why_not\(', 'gpudb.doctor() tells what to do next');
SET gpudb.enabled = off;
SELECT matches(gpudb.doctor(), '(?n)^Queries run on PostgreSQL''s own nodes alone: gpudb\.enabled is off', 'gpudb.doctor() tells that nodes are switched off');
RESET gpudb.enabled;
SET gpudb.cache = off;
SELECT matches(gpudb.doctor(), '(?n)gpudb\.cache is off\.$', 'gpudb.doctor() tells that the cache is not used');
RESET gpudb.cache;
SET gpudb.join_memory = '77MB';
SELECT matches(gpudb.doctor(), '77 MB \(gpudb\.join_memory\)', 'gpudb.doctor() tells how much memory joins may take');
RESET gpudb.join_memory;

-- gpudb.sql_support
SELECT bag_eq('SELECT DISTINCT kind FROM gpudb.sql_support', ARRAY['type', 'operator', 'cast', 'function', 'aggregate'], 'gpudb.sql_support: kinds');
SELECT is_empty('SELECT kind, name FROM gpudb.sql_support GROUP BY 1, 2 HAVING count(*) > 1', 'gpudb.sql_support: no row is there twice');
SELECT is((SELECT count(*) FROM gpudb.sql_support WHERE (kind, name) = (wanted.kind, wanted.name)), 1::bigint, format('%s %s is supported', kind, name))
FROM (VALUES ('type', 'integer'), ('type', 'numeric'), ('type', 'text'), ('operator', '+(integer,integer)'), ('operator', '~~(text,text)'),
	('cast', 'integer to double precision'), ('function', 'round(numeric)'), ('aggregate', 'sum(bigint)')) wanted (kind, name);
SELECT is((SELECT count(*) FROM gpudb.sql_support WHERE (kind, name) = (wanted.kind, wanted.name)), 0::bigint, format('%s %s is not', kind, name))
FROM (VALUES ('type', 'json'), ('function', 'upper(text)'), ('aggregate', 'string_agg(text,text)')) wanted (kind, name);
SELECT is_empty($$SELECT name FROM gpudb.sql_support WHERE kind = 'type' AND to_regtype(name) IS NULL$$, 'types exist');
SELECT is_empty($$SELECT name FROM gpudb.sql_support WHERE kind IN ('function', 'aggregate') AND to_regprocedure(name) IS NULL$$, 'functions and aggregates exist');
SELECT is_empty($$SELECT name FROM gpudb.sql_support WHERE kind = 'operator' AND to_regoperator(name) IS NULL$$, 'operators exist');

SELECT * FROM finish();
DROP SCHEMA gpudb_tap_views CASCADE;
