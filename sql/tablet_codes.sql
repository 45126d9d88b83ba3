-- Texts by their codes in a dictionary: conditions that PostgreSQL answers once for each value, keys, and what is returned
SET gpudb.force = on;
SET gpudb.device = cpu;
SET gpudb.debug_require = require;
SET max_parallel_workers_per_gather = 0;
\pset format unaligned
-- how a query runs, twice, and whether its answer is PostgreSQL's
CREATE FUNCTION tablet_codes(query text, OUT added int, OUT used int, OUT n int, OUT same bool) LANGUAGE plpgsql AS $$
DECLARE
	ours text[];
	theirs text[];
	again text[];
	plan jsonb;
	sorted text := format('SELECT array_agg(s ORDER BY s) FROM (SELECT q::text AS s FROM (%s OFFSET 0) q) r', query);
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
	added := coalesce(jsonb_path_query_first(plan, '$.**."Tablets Added"')::int, 0);
	EXECUTE sorted INTO ours;
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
	used := coalesce(jsonb_path_query_first(plan, '$.**."Tablets Cached"')::int, 0);
	EXECUTE sorted INTO again;
	PERFORM set_config('gpudb.debug_require', 'allow', true), set_config('gpudb.enabled', 'off', true);
	EXECUTE sorted INTO theirs;
	PERFORM set_config('gpudb.enabled', 'on', true), set_config('gpudb.debug_require', 'require', true);
	n := coalesce(cardinality(theirs), 0);
	same := ours IS NOT DISTINCT FROM theirs AND again IS NOT DISTINCT FROM theirs;
END $$;
CREATE TABLE tablet_codes (id int NOT NULL, word text, mode char(12) NOT NULL, kind varchar(30), loc text COLLATE "en-x-icu", hex text, long text, filler text) WITH (toast_tuple_target = 128);
ALTER TABLE tablet_codes ALTER long SET STORAGE EXTERNAL;
INSERT INTO tablet_codes SELECT i,
	CASE WHEN i % 13 > 0 THEN (ARRAY['', ' ', 'a', 'ab', 'Abc', 'größe', '日本語', 'naïve café', 'the special packages requests', 'x  ', E'tab\there', 'äb'])[i % 12 + 1] END,
	(ARRAY['AIR', 'RAIL', '', 'REG AIR', 'größe'])[i % 5 + 1], CASE WHEN i % 7 > 0 THEN 'kind ' || i % 300 END,
	(ARRAY['a', 'B', 'ä', 'z', 'A', NULL])[i % 6 + 1], CASE WHEN i = 15000 THEN 'no hex' ELSE to_hex(i % 50 + 16) END,
	CASE WHEN i % 9 > 0 THEN repeat(chr(65 + i % 4), 1 + i % 4 * 300) END, repeat('-', 300)
	FROM generate_series(1, 20000) i;
VACUUM ANALYZE tablet_codes;

-- conditions, of one column
SELECT c.condition, t.* FROM unnest(ARRAY[
	$$word = 'ab'$$, $$word <> 'ab'$$, $$'ab' = word$$, $$word < 'b' COLLATE "C"$$, $$loc < 'b'$$, $$loc >= 'Z'$$, $$word ~ '^[a-z]+$'$$, $$word !~* 'A'$$, $$word ILIKE '%ä%' COLLATE "en-x-icu"$$,
	$$word LIKE '%special%requests%'$$, $$word NOT LIKE 'a%'$$, $$lower(word) = 'abc'$$, $$length(word) > 3$$, $$substring(word FROM 1 FOR 2) IN ('ab', 'Ab', 'gr')$$,
	$$word IN ('a', 'ab', 'größe')$$, $$word NOT IN ('a', 'ab')$$, $$word || '!' = 'ab!'$$, $$left(kind, 6) = 'kind 2'$$, $$kind > 'kind 25'$$, $$kind = ANY ('{"kind 1","kind 2"}')$$,
	$$mode = 'AIR'$$, $$mode = 'AIR  '$$, $$mode::text = 'AIR'$$, $$mode LIKE 'R%'$$, $$mode = ''$$, $$mode > 'B'$$, $$md5(mode::text) < '8'$$, $$length(mode) = 3$$,
	$$word IS NULL$$, $$kind IS NOT NULL$$, $$(word = 'ab') IS NOT TRUE$$, $$word = 'ab' OR kind LIKE '%7' AND mode <> 'AIR'$$, $$NOT (word ~ 'a' AND id % 2 = 0)$$,
	$$CASE WHEN word ~ 'a' THEN kind ~ '1' ELSE mode = 'AIR' END$$, $$coalesce(word ~ 'a', id < 50)$$, $$octet_length(long) > 500$$, $$long LIKE 'B%'$$, $$starts_with(long, 'CCC')$$
	]) WITH ORDINALITY c (condition, number), LATERAL tablet_codes(format('SELECT count(*), sum(id) FROM tablet_codes WHERE %s', c.condition)) t ORDER BY number;
-- what is not about one column's value alone is read as text, by no dictionary
SELECT c.condition, t.used, t.n, t.same FROM unnest(ARRAY[
	$$word = loc$$, $$word <> ALL ('{}')$$, $$word NOT IN ('a', NULL)$$, $$word IN ('a', NULL, 'ab')$$, $$word = 'ab' AND length(word) < id$$
	]) WITH ORDINALITY c (condition, number), LATERAL tablet_codes(format('SELECT count(*), sum(id) FROM tablet_codes WHERE %s', c.condition)) t ORDER BY number;
-- keys, counts, and rows that are returned
SELECT t.* FROM tablet_codes('SELECT word, count(*), sum(id) FROM tablet_codes GROUP BY word') t;
SELECT t.* FROM tablet_codes('SELECT mode, kind, count(*), count(word) FROM tablet_codes WHERE word ~ ''a'' GROUP BY mode, kind') t;
SELECT t.* FROM tablet_codes('SELECT loc, min(word COLLATE "C"), max(id) FROM tablet_codes GROUP BY loc') t;
SELECT t.* FROM tablet_codes('SELECT upper(kind), count(*) FILTER (WHERE loc > ''a'') FROM tablet_codes GROUP BY kind') t;
SELECT t.* FROM tablet_codes('SELECT id, word, mode, kind, loc FROM tablet_codes WHERE kind LIKE ''%9'' AND id % 3 = 0') t;
SELECT t.* FROM tablet_codes('SELECT id, long FROM tablet_codes WHERE long IS NULL OR long > ''CC''') t;
SELECT mode, length(mode), octet_length(mode), count(*) FROM tablet_codes GROUP BY mode ORDER BY 1;
-- in parallel mode, in which a query runs whose fallback has a Gather: as long as no worker runs conditions are asked
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT t.* FROM tablet_codes($$SELECT count(*), sum(id) FROM tablet_codes WHERE word ~ 'a' AND kind ~ '1'$$) t;
SET max_parallel_workers_per_gather = 0;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

-- parameters
PREPARE by_word(text, text[]) AS SELECT count(*) FROM tablet_codes WHERE word ~ $1 AND kind = ANY ($2);
EXECUTE by_word('a', '{"kind 1","kind 2"}');
EXECUTE by_word(NULL, '{"kind 1"}');
-- NULL for a value is more than codes tell
SET gpudb.debug_require = allow;
EXECUTE by_word('^g', '{"kind 1","kind 5",NULL}');
SET gpudb.debug_require = require;
DEALLOCATE by_word;
-- a value of which PostgreSQL says nothing but an error is read only where it counts
SELECT t.* FROM tablet_codes('SELECT count(*) FROM tablet_codes WHERE decode(hex, ''hex'') > ''\x20'' AND id < 10000') t;
SET gpudb.debug_require = allow;
SELECT count(*) FROM tablet_codes WHERE id < 10000 AND decode(hex, 'hex') > '\x20';
SELECT count(*) FROM tablet_codes WHERE decode(hex, 'hex') > '\x20';
SELECT count(*) FROM tablet_codes WHERE word ~ '(';
SELECT count(*) FROM tablet_codes WHERE word LIKE 'a\';
SET gpudb.debug_require = require;

-- values that come later: of rows that are not all-visible, of columns that are added
INSERT INTO tablet_codes (id, word, mode, kind) SELECT i, 'new ' || i % 5, 'NEW', 'kind x' FROM generate_series(30001, 30200) i;
UPDATE tablet_codes SET word = 'changed ' || id WHERE id % 500 = 0;
SELECT t.used, t.n, t.same FROM tablet_codes('SELECT word, count(*), sum(id) FROM tablet_codes WHERE word ~ ''e'' GROUP BY word') t;
SELECT t.used, t.n, t.same FROM tablet_codes('SELECT id, word, mode FROM tablet_codes WHERE word LIKE ''%ed 1%'' OR mode = ''NEW''') t;
ALTER TABLE tablet_codes ADD added text DEFAULT 'older';
UPDATE tablet_codes SET added = 'younger' WHERE id % 1000 = 1;
SELECT t.used > 0 AS used, t.n, t.same FROM tablet_codes('SELECT added, count(*) FROM tablet_codes WHERE added ~ ''o'' GROUP BY added') t;
VACUUM tablet_codes;
SELECT t.n, t.same FROM tablet_codes('SELECT word, added, count(*) FROM tablet_codes WHERE word ~ ''e'' AND added > ''o'' GROUP BY word, added') t;
SELECT column_name, differences FROM gpudb.check('tablet_codes') WHERE differences > 0;
SELECT column_name, entries, refused FROM gpudb.dictionaries WHERE relation = 'tablet_codes'::regclass ORDER BY column_name;
BEGIN;
INSERT INTO tablet_codes (id, word, mode) VALUES (40000, 'mine alone', 'X');
SELECT t.n, t.same FROM tablet_codes('SELECT word, count(*) FROM tablet_codes WHERE word ~ ''alone'' GROUP BY word') t;
ROLLBACK;
SELECT t.n, t.same FROM tablet_codes('SELECT word, count(*) FROM tablet_codes WHERE word ~ ''alone'' GROUP BY word') t;
-- another type, the same file's
BEGIN;
ALTER TABLE tablet_codes ALTER kind TYPE text COLLATE "C";
SELECT t.n, t.same FROM tablet_codes('SELECT kind, count(*) FROM tablet_codes WHERE kind > ''kind 2'' GROUP BY kind') t;
ROLLBACK;
SELECT t.n, t.same FROM tablet_codes('SELECT kind, count(*) FROM tablet_codes WHERE kind > ''kind 2'' GROUP BY kind') t;

-- a dictionary that goes takes its columns with it: others have been used since, more than there is room for
DO $$ BEGIN
	FOR i IN 1 .. 130 LOOP
		EXECUTE format('CREATE TABLE tablet_codes_%s AS SELECT i AS id, chr(64 + i %% 3) AS c FROM generate_series(1, 5) i', i);
	END LOOP;
END $$;
DO $$ BEGIN FOR i IN 1 .. 130 LOOP EXECUTE format('SELECT count(*) FROM tablet_codes_%s WHERE c ~ ''A''', i); END LOOP; END $$;
SELECT count(*) FROM gpudb.dictionaries WHERE relation = 'tablet_codes'::regclass;
SELECT t.n, t.same FROM tablet_codes('SELECT kind, count(*) FROM tablet_codes WHERE word ~ ''a'' GROUP BY kind') t;
DO $$ BEGIN FOR i IN 1 .. 130 LOOP EXECUTE format('DROP TABLE tablet_codes_%s', i); END LOOP; END $$;

-- more values than a dictionary has, unknown to statistics: texts
CREATE TABLE tablet_codes_many AS SELECT i AS id, 'value ' || i AS v, repeat('x', 2500) AS wide FROM generate_series(1, 1000) i;
ALTER TABLE tablet_codes_many ALTER wide SET STORAGE PLAIN;
INSERT INTO tablet_codes_many (id, v) SELECT i, 'value ' || i FROM generate_series(1001, 140000) i;
VACUUM tablet_codes_many;
SELECT t.used, t.n, t.same FROM tablet_codes('SELECT count(*), sum(id) FROM tablet_codes_many WHERE v LIKE ''%99''') t;
SELECT t.used, t.n, t.same FROM tablet_codes('SELECT id, v FROM tablet_codes_many WHERE v LIKE ''%999''') t;
SELECT t.used, t.n, t.same FROM tablet_codes('SELECT count(*) FROM tablet_codes_many WHERE wide LIKE ''x%''') t;
SELECT column_name, refused FROM gpudb.dictionaries WHERE relation = 'tablet_codes_many'::regclass ORDER BY column_name;
-- PostgreSQL's answer where only codes would do
SET gpudb.debug_require = allow;
SELECT count(*) FROM tablet_codes_many WHERE v ~ '^value 77';
SET gpudb.debug_require = require;
SELECT gpudb.evict('tablet_codes_many') >= 0 AS evicted;
SELECT count(*) FROM gpudb.dictionaries WHERE relation = 'tablet_codes_many'::regclass;

-- only PostgreSQL's own functions are asked about values that a policy hides
CREATE FUNCTION tablet_codes_spy(text) RETURNS bool LANGUAGE plpgsql IMMUTABLE STRICT COST 1 AS $$ BEGIN RAISE NOTICE 'saw %', $1; RETURN true; END $$;
SELECT node, reason FROM gpudb.why_not('SELECT count(*) FROM tablet_codes WHERE tablet_codes_spy(word)');
DROP FUNCTION tablet_codes_spy, tablet_codes;
DROP TABLE tablet_codes, tablet_codes_many;
