-- gpudb.prewarm(), gpudb.evict() and gpudb.check(): arguments, results, errors, warnings, and relations of all kinds.
-- Messages that are no errors are read from the output of a psql of its own, which sees what was committed: so this file makes its
-- tables outside of a transaction, and drops them at its end.
\set ON_ERROR_STOP on
CREATE ACCESS METHOD gpudb_tap_heap TYPE TABLE HANDLER heap_tableam_handler;
CREATE FOREIGN DATA WRAPPER gpudb_tap_wrapper;
CREATE SERVER gpudb_tap_server FOREIGN DATA WRAPPER gpudb_tap_wrapper;
CREATE SCHEMA gpudb_tap_prewarm;
SET search_path = gpudb_tap_prewarm, public;
-- Two tablets: 1,021 pages, and the others.
CREATE TABLE facts (id int NOT NULL, k int, n numeric(12,2), any_scale numeric, word text, day date, gone int, raw bytea, "Upper Case" int, filler text);
ALTER TABLE facts ALTER filler SET STORAGE PLAIN;
INSERT INTO facts SELECT i, nullif(i % 10, 0), i * 0.5, i * 0.0625, 'word ' || i % 20, date '2020-01-01' + i, i, '\x00', -i, repeat('-', 3500) FROM generate_series(1, 2400) i;
ALTER TABLE facts DROP COLUMN gone;
CREATE INDEX facts_id ON facts (id);
CREATE TABLE planned AS SELECT id, k, filler FROM facts;
CREATE TABLE empty (id int, word text);
CREATE TABLE no_columns ();
INSERT INTO no_columns SELECT FROM generate_series(1, 10);
CREATE TABLE raws (raw bytea, document json);
INSERT INTO raws SELECT '\x00', '{}' FROM generate_series(1, 10);
CREATE TABLE special (id int, n numeric(8,2));
INSERT INTO special VALUES (1, 1), (2, 'NaN'), (3, 3);
CREATE TABLE measures (id int, day date) PARTITION BY RANGE (id);
CREATE TABLE measures_low PARTITION OF measures FOR VALUES FROM (0) TO (500);
CREATE TABLE measures_high PARTITION OF measures FOR VALUES FROM (500) TO (1000) PARTITION BY LIST (day);
CREATE TABLE measures_high_all PARTITION OF measures_high DEFAULT;
INSERT INTO measures SELECT i, date '2020-01-01' FROM generate_series(0, 999) i;
CREATE TABLE parent (id int);
CREATE TABLE child () INHERITS (parent);
INSERT INTO parent SELECT generate_series(1, 10);
INSERT INTO child SELECT generate_series(11, 20);
CREATE MATERIALIZED VIEW stored AS SELECT i AS id, 't' || i % 3 AS word FROM generate_series(1, 1000) i;
CREATE MATERIALIZED VIEW unfilled AS SELECT 1 AS id WITH NO DATA;
CREATE UNLOGGED TABLE unlogged AS SELECT generate_series(1, 100) AS id;
CREATE TABLE of_another_method (id int) USING gpudb_tap_heap;
INSERT INTO of_another_method SELECT generate_series(1, 100);
CREATE VIEW plain_view AS SELECT id FROM facts;
CREATE SEQUENCE numbers;
CREATE TYPE composite AS (id int);
CREATE FOREIGN TABLE far_away (id int) SERVER gpudb_tap_server;
VACUUM ANALYZE facts, planned, empty, no_columns, raws, special, measures, parent, child, stored, unlogged, of_another_method;
CREATE TEMP TABLE temporary AS SELECT generate_series(1, 100) AS id;

SELECT plan(116);

-- The error that a statement raises: its SQLSTATE, message and detail.
CREATE FUNCTION pg_temp.error_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
BEGIN
	EXECUTE statement;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN concat_ws(' ', SQLSTATE, SQLERRM, nullif(detail, ''));
END $$;
CREATE FUNCTION pg_temp.cached(relation regclass) RETURNS text LANGUAGE sql AS $$SELECT array_to_string(columns, ' ') FROM gpudb.cache c WHERE c.relation = $1$$;

-- What the planner knows of cached columns follows what is cached, within one session.
CREATE FUNCTION pg_temp.cost(query text) RETURNS numeric LANGUAGE plpgsql SET gpudb.force = on AS $$
DECLARE
	planned json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO planned;
	RETURN planned #>> '{0,Plan,Total Cost}';
END $$;
CREATE TEMP TABLE costs (uncached numeric, cached numeric);
INSERT INTO costs (uncached) SELECT pg_temp.cost('SELECT sum(k) FROM planned');
SELECT is(gpudb.prewarm('planned', '{id}'), 1::bigint, 'a column is cached');
SELECT is(pg_temp.cost('SELECT sum(k) FROM planned'), uncached, 'the planner knows that another one is not') FROM costs;
SELECT gpudb.prewarm('planned', '{k}') \g /dev/null
UPDATE costs SET cached = pg_temp.cost('SELECT sum(k) FROM planned');
SELECT cmp_ok(cached, '<', uncached / 2, 'the planner knows of columns that join those that were cached') FROM costs;
SELECT cmp_ok(pg_temp.cost('SELECT sum(k) FROM planned WHERE id > 0'), '<', uncached / 2, 'and of columns that were cached at different times') FROM costs;
SELECT gpudb.evict('planned') \g /dev/null
SELECT is(pg_temp.cost('SELECT sum(k) FROM planned'), uncached, 'the planner knows that columns were evicted') FROM costs;

-- gpudb.prewarm(): columns and results
SELECT is(pg_temp.cached('facts'), NULL, 'nothing is cached at first');
SELECT is(gpudb.prewarm('facts', '{id}'), 2::bigint, 'gpudb.prewarm() returns the number of tablets that were added');
SELECT is(gpudb.prewarm('facts', '{id}'), 0::bigint, 'gpudb.prewarm() adds no tablet that is there');
SELECT is(gpudb.prewarm('facts', ARRAY['id', 'k']), 2::bigint, 'tablets that get a column count, too');
SELECT is(pg_temp.cached('facts'), 'id k', 'the columns that were named are cached');
SELECT is(gpudb.prewarm('facts', '{{id},{k}}'), 0::bigint, 'names may stand in an array of any shape');
SELECT is(gpudb.prewarm('facts', '{id,k,id}'), 0::bigint, 'a name may be repeated');
SELECT is(gpudb.prewarm(relation => 'facts', columns => '{day}'), 2::bigint, 'arguments have names');
SELECT is(gpudb.prewarm('facts', ARRAY['Upper Case']), 2::bigint, 'names of columns are not folded');
SELECT is(gpudb.prewarm('facts', '{}'), 0::bigint, 'no names, no columns');
SELECT is(pg_temp.cached('facts'), 'Upper Case day id k', 'no other columns are cached than those that were named');
SELECT is(gpudb.prewarm('facts', NULL), 2::bigint, 'NULL for the names stands for all columns');
SELECT is(pg_temp.cached('facts'), 'Upper Case any_scale day filler id k n word', 'all columns are those whose types can be cached');
SELECT is(gpudb.prewarm('facts'), 0::bigint, 'without an argument for the names it is all columns, too');
SELECT is(gpudb.prewarm(NULL), NULL, 'gpudb.prewarm(): NULL for no relation');
SELECT is(gpudb.prewarm(NULL, '{id}'), NULL, 'gpudb.prewarm(): NULL for columns of no relation');
SELECT is(gpudb.prewarm('facts'::regclass::oid::regclass), 0::bigint, 'a relation may be given by its OID');
SELECT is(pg_typeof(gpudb.prewarm('facts'))::text, 'bigint', 'the result is a bigint');
SELECT is(gpudb.prewarm('empty'), 0::bigint, 'an empty table has no tablets');
SELECT is(gpudb.prewarm('no_columns'), 0::bigint, 'a table without columns has nothing to cache');
SELECT is(gpudb.prewarm('raws'), 0::bigint, 'a table of types that cannot be cached has nothing to cache');
SELECT is(gpudb.prewarm('stored'), 1::bigint, 'a materialized view is cached');
SELECT is(pg_temp.cached('stored'), 'id word', 'all columns of the materialized view are cached');

-- gpudb.prewarm(): errors
SELECT throws_ok($$SELECT gpudb.prewarm('facts', '{id,absent}')$$, '42703', 'column "absent" of relation "facts" does not exist', 'a column that does not exist');
SELECT throws_ok($$SELECT gpudb.prewarm('facts', '{gone}')$$, '42703', 'column "gone" of relation "facts" does not exist', 'a column that was dropped');
SELECT throws_ok($$SELECT gpudb.prewarm('facts', ARRAY['........pg.dropped.7........'])$$, '42703', NULL, 'a column that was dropped, under the name that it has now');
SELECT throws_ok($$SELECT gpudb.prewarm('facts', '{ctid}')$$, '42703', 'column "ctid" of relation "facts" does not exist', 'a system column');
SELECT throws_ok($$SELECT gpudb.prewarm('facts', '{ID}')$$, '42703', 'column "ID" of relation "facts" does not exist', 'the name of a column in capitals');
SELECT throws_ok($$SELECT gpudb.prewarm('facts', '{""}')$$, '42703', 'column "" of relation "facts" does not exist', 'an empty name');
SELECT throws_ok($$SELECT gpudb.prewarm('facts', ARRAY['id', repeat('x', 10000)])$$, '42703', NULL, 'a name that is longer than names may be');
SELECT throws_ok($$SELECT gpudb.prewarm('facts', '{id,NULL}')$$, '22004', 'column names must not be null', 'a name that is NULL');
SELECT throws_ok($$SELECT gpudb.prewarm('no_such_table')$$, '42P01', NULL, 'a relation that does not exist');
SELECT throws_ok($$SELECT gpudb.prewarm(0::oid::regclass)$$, NULL, NULL, 'no relation has the OID 0');
SELECT throws_ok($$SELECT gpudb.prewarm('')$$, NULL, NULL, 'an empty name is no relation');
SELECT throws_ok($$SELECT gpudb.prewarm('facts', 'id')$$, '22P02', NULL, 'names of columns are an array');
SELECT throws_ok($$SELECT gpudb.prewarm('facts', ARRAY[1])$$, '42883', NULL, 'names of columns are texts');
SELECT matches(pg_temp.error_of(format('SELECT gpudb.prewarm(%L)', relation)), format('^42809 relation "%s" cannot be cached This operation is not supported for', relation),
	format('gpudb.prewarm(): %s', kind))
FROM (VALUES ('plain_view', 'a view'), ('facts_id', 'an index'), ('numbers', 'a sequence'), ('composite', 'a composite type'), ('far_away', 'a foreign table'),
	('measures', 'a partitioned table'), ('measures_high', 'a partition that is partitioned')) v (relation, kind);
SELECT matches(pg_temp.error_of(format('SELECT gpudb.prewarm(%s::oid::regclass)', reltoastrelid::oid)), '^42809 ', 'gpudb.prewarm(): a TOAST table')
FROM pg_class WHERE oid = 'facts'::regclass;
SELECT is(pg_temp.cached('measures_low'), NULL, 'an attempt to prewarm a partitioned table caches nothing');

-- Partitions, and a parent with children
SELECT is(sum(gpudb.prewarm(relid)), 2::numeric, 'a partitioned table is prewarmed by its partitions') FROM pg_partition_tree('measures') WHERE isleaf;
SELECT is(pg_temp.cached('measures_low') || ' ' || pg_temp.cached('measures_high_all'), 'day id day id', 'all partitions are cached');
SELECT is(gpudb.prewarm('parent'), 1::bigint, 'a table with children is prewarmed by itself');
SELECT is(pg_temp.cached('child'), NULL, 'children are not prewarmed with their parent');

-- gpudb.prewarm(): warnings
\set said `psql -XqAt -c "SELECT gpudb.prewarm('gpudb_tap_prewarm.facts', '{id,raw}')" 2>&1`
SELECT matches(:'said'::text, '^WARNING: +column "raw" of relation "facts" cannot be cached\nDETAIL: .*\n0$', 'a column that was named and cannot be cached: a warning');
\set said `psql -XqAt -c "SELECT gpudb.prewarm('gpudb_tap_prewarm.facts')" 2>&1`
SELECT is(:'said'::text, '0', 'no warning for columns that were not named');
\set said `psql -XqAt -c "SELECT gpudb.prewarm('gpudb_tap_prewarm.special', '{n}')" 2>&1`
SELECT matches(:'said'::text, '^WARNING: +column "n" of relation "special" cannot be cached\nDETAIL: +NaN or infinite numeric', 'a column with a value that cannot be cached: a warning');
\set said `psql -XqAt -c "SELECT gpudb.prewarm('gpudb_tap_prewarm.unlogged')" 2>&1`
SELECT matches(:'said'::text, '^WARNING: +nothing of relation "unlogged" can be cached now\n0$', 'an unlogged table: a warning');
\set said `psql -XqAt -c "CREATE TEMP TABLE temporary AS SELECT generate_series(1, 100) AS id" -c "SELECT gpudb.prewarm('temporary')" 2>&1`
SELECT matches(:'said'::text, '^WARNING: +nothing of relation "temporary" can be cached now\n0$', 'a temporary table: a warning');
\set said `psql -XqAt -c "SELECT gpudb.prewarm('gpudb_tap_prewarm.of_another_method')" 2>&1`
SELECT matches(:'said'::text, '^WARNING: +nothing of relation "of_another_method" can be cached now\n0$', 'a table of another access method than heap: a warning');
\set said `psql -XqAt -c "SELECT gpudb.prewarm('gpudb_tap_prewarm.unfilled')" 2>&1`
SELECT matches(:'said'::text, '(^|\n)0$', 'a materialized view without data has nothing to cache');
\set said `psql -XqAt -c "BEGIN ISOLATION LEVEL SERIALIZABLE" -c "SELECT gpudb.prewarm('gpudb_tap_prewarm.facts')" -c "SELECT * FROM gpudb.check('gpudb_tap_prewarm.facts')" -c "COMMIT" 2>&1`
SELECT matches(:'said'::text, '^WARNING: +nothing of relation "facts" can be cached now\n0$', 'any table in a serializable transaction: a warning');
\set said `psql -XqAt -c "BEGIN" -c "CREATE TABLE gpudb_tap_prewarm.fresh AS SELECT 1 AS id" -c "SELECT gpudb.prewarm('gpudb_tap_prewarm.fresh')" -c "ROLLBACK" 2>&1`
SELECT matches(:'said'::text, '^WARNING: +nothing of relation "fresh" can be cached now\n0$', 'a file that the transaction has made: a warning');
\set said `psql -XqAt -c "BEGIN" -c "TRUNCATE gpudb_tap_prewarm.parent" -c "INSERT INTO gpudb_tap_prewarm.parent VALUES (1)" -c "SELECT gpudb.prewarm('gpudb_tap_prewarm.parent')" -c "ROLLBACK" 2>&1`
SELECT matches(:'said'::text, '^WARNING: +nothing of relation "parent" can be cached now\n0$', 'a file that TRUNCATE has made: a warning');
\set said `psql -XqAt -c "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" -c "SELECT gpudb.prewarm('gpudb_tap_prewarm.child')" -c "COMMIT" 2>&1`
SELECT is(:'said'::text, '1', 'a read-only transaction at REPEATABLE READ may prewarm');

-- gpudb.check()
SELECT results_eq($$SELECT column_name FROM gpudb.check('facts') GROUP BY 1 ORDER BY column_name COLLATE "C"$$,
	ARRAY['Upper Case', 'any_scale', 'day', 'filler', 'id', 'k', 'n', 'word'], 'gpudb.check() has rows for the cached columns');
SELECT results_eq($$SELECT tablets, blocks, rows, differences FROM gpudb.check('facts') WHERE column_name = 'id'$$,
	$$SELECT 2::bigint, pg_relation_size('facts') / current_setting('block_size')::int, 2400::bigint, 0::bigint$$,
	'gpudb.check() tells how many tablets, blocks and rows were compared');
SELECT is_empty($$SELECT * FROM gpudb.check('facts') WHERE differences <> 0$$, 'gpudb.check() finds no differences');
SELECT is_empty($$SELECT * FROM gpudb.check(NULL)$$, 'gpudb.check(): no row for no relation');
SELECT is_empty(format('SELECT * FROM gpudb.check(%L)', relation), format('gpudb.check(): nothing of %s is cached', relation))
FROM unnest('{empty,no_columns,unlogged,temporary,of_another_method,plain_view,facts_id,numbers,composite,far_away,measures}'::text[]) relation;
SELECT isnt_empty($$SELECT * FROM gpudb.check('measures_low') WHERE rows = 500 AND differences = 0$$, 'gpudb.check(): a partition');
SELECT isnt_empty($$SELECT * FROM gpudb.check('stored') WHERE rows = 1000 AND differences = 0$$, 'gpudb.check(): a materialized view');
SELECT throws_ok($$SELECT * FROM gpudb.check('no_such_table')$$, '42P01', NULL, 'gpudb.check(): a relation that does not exist');
BEGIN;
DELETE FROM facts WHERE id <= 100;
UPDATE facts SET k = k + 1 WHERE id > 2300;
SELECT ok(bool_and(differences = 0 AND rows < 2400), 'gpudb.check() leaves out what the own transaction has changed, and calls it no difference') FROM gpudb.check('facts');
ROLLBACK;
BEGIN;
TRUNCATE facts;
SELECT is_empty($$SELECT * FROM gpudb.check('facts')$$, 'gpudb.check(): a new file has no cached columns');
ROLLBACK;
SELECT is(sum(differences), 0::numeric, 'gpudb.check() finds no differences after a rollback') FROM gpudb.check('facts');
DELETE FROM facts WHERE id = 17;
SELECT is(sum(differences), 0::numeric, 'gpudb.check() finds no differences after a change') FROM gpudb.check('facts');
SELECT is(gpudb.prewarm('child'), 0::bigint, 'columns that another session has cached are not cached again');

-- gpudb.evict()
SELECT is(gpudb.evict('facts'), 2::bigint, 'gpudb.evict() returns the number of tablets that there were');
SELECT is(gpudb.evict('facts'), 0::bigint, 'gpudb.evict() finds no tablet when it is called again');
SELECT is(pg_temp.cached('facts'), NULL, 'gpudb.evict() has removed all columns');
SELECT is_empty($$SELECT * FROM gpudb.dictionaries WHERE relation = 'facts'::regclass$$, 'gpudb.evict() has removed the dictionaries');
SELECT is_empty($$SELECT * FROM gpudb.check('facts')$$, 'gpudb.check() has no rows after gpudb.evict()');
SELECT is(pg_temp.cached('stored'), 'id word', 'gpudb.evict() leaves other relations alone');
SELECT is(gpudb.evict(NULL), NULL, 'gpudb.evict(): NULL for no relation');
SELECT is(gpudb.evict(relation::regclass), 0::bigint, format('gpudb.evict(): nothing of %s is cached', relation))
FROM unnest('{empty,no_columns,unlogged,temporary,of_another_method,plain_view,facts_id,numbers,composite,far_away,measures}'::text[]) relation;
SELECT is(pg_temp.cached('measures_low'), 'day id', 'a partitioned table has none of its partitions'' tablets');
SELECT is(gpudb.evict('measures_low'), 1::bigint, 'a partition is evicted by its own name');
SELECT is(gpudb.evict('stored'), 1::bigint, 'gpudb.evict(): a materialized view');
SELECT throws_ok($$SELECT gpudb.evict('no_such_table')$$, '42P01', NULL, 'gpudb.evict(): a relation that does not exist');
SELECT is(gpudb.prewarm('facts', '{id}'), 2::bigint, 'columns that were evicted may be cached again');
BEGIN;
SELECT is(gpudb.evict('facts'), 2::bigint, 'columns are evicted by a transaction');
ROLLBACK;
SELECT is(pg_temp.cached('facts'), NULL, 'no rollback undoes an eviction');
BEGIN;
SELECT is(gpudb.prewarm('facts', '{id}'), 2::bigint, 'columns are cached by a transaction');
ROLLBACK;
SELECT is(pg_temp.cached('facts'), 'id', 'columns stay cached after a rollback');
SELECT is(gpudb.prewarm('child') + gpudb.evict('child'), 1::bigint, 'one statement may cache and evict');

SELECT * FROM finish();
DROP SCHEMA gpudb_tap_prewarm CASCADE;
DROP SERVER gpudb_tap_server;
DROP FOREIGN DATA WRAPPER gpudb_tap_wrapper;
DROP ACCESS METHOD gpudb_tap_heap;
