-- Texts of any number of values, cached as such: their bytes one after the other, and references to them
SET gpudb.force = on;
SET gpudb.device = cpu;
SET gpudb.debug_require = require;
SET max_parallel_workers_per_gather = 0;
\pset format unaligned
-- how a query runs, twice, and whether its answer is PostgreSQL's
CREATE FUNCTION tablet_texts(query text, OUT added int, OUT used int, OUT n int, OUT same bool) LANGUAGE plpgsql AS $$
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
CREATE TABLE tablet_texts (id int NOT NULL, url text NOT NULL, title varchar(300) COLLATE "C", pad char(100), far text, filler text) WITH (autovacuum_enabled = off);
ALTER TABLE tablet_texts ALTER far SET STORAGE EXTERNAL;
INSERT INTO tablet_texts SELECT i, 'http://host' || i % 500 || '.example/größe/' || md5(i::text) || repeat(chr(97 + i % 26), 150),
	CASE WHEN i % 11 > 0 THEN repeat(md5((i / 2)::text), 6) END, md5((-i)::text), CASE WHEN i % 900 = 0 THEN repeat(md5(i::text), 100) WHEN i % 7 = 0 THEN '' END, repeat('-', 50)
	FROM generate_series(1, 45000) i;
VACUUM ANALYZE tablet_texts;

-- conditions, and what is computed of texts
SELECT c.condition, t.used, t.n, t.same FROM unnest(ARRAY[
	$$url LIKE '%77%'$$, $$url NOT LIKE 'http://host4%'$$, $$url LIKE '%größe/a_b%'$$, $$url = 'http://host1.example/'$$, $$url < 'http://host2' COLLATE "C"$$, $$title >= 'f'$$,
	$$length(url) > 200$$, $$octet_length(title) = 192$$, $$substring(url FROM 8 FOR 6) = 'host12'$$, $$url = title$$, $$url <> title$$, $$title IS NULL$$, $$title IS NOT NULL AND id % 2 = 0$$,
	$$pad LIKE '%ab%'$$, $$pad = md5('-77')$$, $$far LIKE '%ab%'$$, $$length(far) > 3000$$, $$far = ''$$, $$title IN ('a', repeat(md5('7'), 6))$$, $$starts_with(url, 'http://host33.')$$,
	$$CASE WHEN title IS NULL THEN url LIKE '%1%' ELSE title LIKE '%2%' END$$, $$coalesce(title, url) < 'e' COLLATE "C"$$
	]) WITH ORDINALITY c (condition, number), LATERAL tablet_texts(format('SELECT count(*), sum(id) FROM tablet_texts WHERE %s', c.condition)) t ORDER BY number;
SELECT t.used, t.n, t.same FROM tablet_texts('SELECT min(url COLLATE "C"), max(title), min(far COLLATE "C"), sum(length(url)), count(far) FROM tablet_texts') t;
SELECT t.used, t.n, t.same FROM tablet_texts('SELECT title, count(*), min(id) FROM tablet_texts WHERE id < 9000 GROUP BY title') t;
SELECT t.used, t.n, t.same FROM tablet_texts('SELECT substring(url FROM 8 FOR 7), count(*), max(url COLLATE "C") FROM tablet_texts GROUP BY 1') t;
SELECT t.used, t.n, t.same FROM tablet_texts('SELECT id FROM tablet_texts WHERE url LIKE ''%abc%'' AND title LIKE ''%d%''') t;
-- texts of the rows of a join
CREATE TABLE tablet_texts_few AS SELECT i * 90 AS id, md5((-i * 90)::text)::char(100) AS pad, 'few ' || i AS name FROM generate_series(1, 300) i;
VACUUM ANALYZE tablet_texts_few;
SELECT t.n, t.same FROM tablet_texts('SELECT t.id, t.url, t.far, f.name FROM tablet_texts t JOIN tablet_texts_few f ON t.id = f.id WHERE t.url LIKE ''%a%''') t;
SELECT t.n, t.same FROM tablet_texts('SELECT f.name, count(*), min(t.url COLLATE "C") FROM tablet_texts t JOIN tablet_texts_few f ON t.pad = f.pad GROUP BY f.name') t;

-- rows whose texts come out of columns, of any length and out of line
SELECT c.query, t.used > 1 AS used, t.n, t.same FROM unnest(ARRAY[
	$$SELECT id, url, title, far, pad FROM tablet_texts WHERE url LIKE '%abc%'$$, $$SELECT url FROM tablet_texts WHERE id % 97 = 5$$, $$SELECT title, pad, id FROM tablet_texts WHERE title LIKE '%dd%'$$,
	$$SELECT far FROM tablet_texts WHERE id % 450 = 0$$, $$SELECT far FROM tablet_texts WHERE id % 7 = 0 AND far = ''$$, $$SELECT title FROM tablet_texts WHERE id % 11 = 0$$,
	$$SELECT upper(url) || coalesce(title, '-'), length(far), title IS NULL FROM tablet_texts WHERE id % 90 = 0$$, $$SELECT url, title FROM tablet_texts WHERE id < 3000 ORDER BY url COLLATE "C", id LIMIT 20$$,
	$$SELECT left(url, 20) AS start, string_agg(title, ',' ORDER BY id) FROM tablet_texts WHERE id % 50 = 0 GROUP BY 1$$, $$SELECT url FROM tablet_texts WHERE id % 97 = 5 AND length(md5(url || title)) = 32$$,
	$$SELECT v, t.url FROM generate_series(97, 99) v, LATERAL (SELECT url FROM tablet_texts WHERE id % v = 5 OFFSET 0) t$$
	]) WITH ORDINALITY c (query, number), LATERAL tablet_texts(c.query) t ORDER BY number;
-- where they are not cached they stay in their pages
CREATE FUNCTION tablet_texts_outputs(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN coalesce(jsonb_path_query_first(plan, '$.**."GPU Output"')::text, 'none');
END $$;
SELECT tablet_texts_outputs('SELECT id, url, far FROM tablet_texts WHERE id % 97 = 5') AS cached;
CREATE TABLE tablet_texts_cold (id int NOT NULL, url text NOT NULL) WITH (autovacuum_enabled = off);
INSERT INTO tablet_texts_cold SELECT id, url FROM tablet_texts;
VACUUM ANALYZE tablet_texts_cold;
SELECT tablet_texts_outputs('SELECT id, url FROM tablet_texts_cold WHERE id % 97 = 5') AS not_cached;
SELECT t.used, t.n, t.same FROM tablet_texts('SELECT id, url FROM tablet_texts_cold WHERE id % 97 = 5') t;
SELECT gpudb.prewarm('tablet_texts_cold', '{id,url}') > 0 AS added;
PREPARE tablet_texts_prepared AS SELECT count(url), min(length(url)) FROM (SELECT url FROM tablet_texts_cold WHERE id % 97 = 5 OFFSET 0) s;
EXECUTE tablet_texts_prepared;
-- a plan for columns, and they are gone
SELECT gpudb.evict('tablet_texts_cold') > 0 AS evicted;
EXECUTE tablet_texts_prepared;
DEALLOCATE tablet_texts_prepared;
DROP TABLE tablet_texts_cold;

-- what has changed is read anew, and tablets are made whole again of both
UPDATE tablet_texts SET url = 'changed ' || id, title = NULL, far = repeat('changed', 500) WHERE id BETWEEN 20000 AND 20900;
DELETE FROM tablet_texts WHERE id BETWEEN 30000 AND 30500;
SELECT t.n, t.same FROM tablet_texts('SELECT id, url, title, far FROM tablet_texts WHERE id % 89 = 5') t;
SELECT t.n, t.same FROM tablet_texts('SELECT count(*), sum(length(url)), sum(length(title)), sum(length(far)), max(url COLLATE "C") FROM tablet_texts WHERE url LIKE ''%a%''') t;
VACUUM tablet_texts;
SELECT t.n, t.same FROM tablet_texts('SELECT count(*), sum(length(url)), sum(length(title)), sum(length(far)), max(url COLLATE "C") FROM tablet_texts WHERE url LIKE ''%a%''') t;
SELECT column_name, tablets > 1 AS tablets, differences FROM gpudb.check('tablet_texts') WHERE column_name IN ('far', 'title', 'url') ORDER BY column_name COLLATE "C", 1;

-- left behind without a query, values out of line among them
SELECT gpudb.evict('tablet_texts') > 0 AS evicted;
SELECT gpudb.prewarm('tablet_texts', '{url,title,far}') > 0 AS added;
SELECT column_name, form, sum(bytes) > 1000000 AS large FROM gpudb.tablets WHERE relation = 'tablet_texts'::regclass AND form = 'TEXT' GROUP BY 1, 2 ORDER BY column_name COLLATE "C";
SELECT t.used > 1 AS used, t.n, t.same FROM tablet_texts('SELECT count(*), sum(length(far)) FROM tablet_texts WHERE far LIKE ''%a%''') t;
SELECT bool_and(differences = 0) AS right FROM gpudb.check('tablet_texts');

DROP TABLE tablet_texts, tablet_texts_few;
DROP FUNCTION tablet_texts, tablet_texts_outputs;
