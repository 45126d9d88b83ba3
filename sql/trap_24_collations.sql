-- Where PostgreSQL cannot tell which collation texts are compared under, it raises an error, but only when it compares two.
CREATE TABLE trap_24_a (id int NOT NULL, x text COLLATE "C", v varchar(5) COLLATE "C", c char(5) COLLATE "C", w varchar(40) COLLATE "C");
CREATE TABLE trap_24_b (id int NOT NULL, x text COLLATE "POSIX", v varchar(5) COLLATE "POSIX", c char(5) COLLATE "POSIX", w varchar(40) COLLATE "POSIX");
INSERT INTO trap_24_a SELECT i, 'x' || i % 50, i % 50, 'c' || i % 50, 'w' || i % 9 FROM generate_series(1, 3000) i;
INSERT INTO trap_24_b SELECT * FROM trap_24_a;
ANALYZE trap_24_a, trap_24_b;
CREATE TABLE trap_24_sources (sql text);
INSERT INTO trap_24_sources VALUES
	('(SELECT * FROM trap_24_a UNION ALL SELECT * FROM trap_24_b) t'),
	('(SELECT a.id, CASE WHEN a.id > 5 THEN a.x ELSE b.x END AS x, CASE WHEN a.id > 5 THEN a.v ELSE b.v END AS v,
	CASE WHEN a.id > 5 THEN a.c ELSE b.c END AS c, CASE WHEN a.id > 5 THEN a.w ELSE b.w END AS w FROM trap_24_a a JOIN trap_24_b b USING (id)) t');
CREATE TABLE trap_24_queries (number serial, sql text);
INSERT INTO trap_24_queries (sql)
SELECT format(q, x, t.sql)
FROM trap_24_sources t, unnest('{x,v,c,w}'::text[]) x, unnest(ARRAY[
	'SELECT count(*) FROM (SELECT id, %1$s FROM %2$s ORDER BY 2 OFFSET 0) q',
	'SELECT count(*) FROM (SELECT id, %1$s FROM %2$s ORDER BY id, 2 LIMIT 3) q',
	'SELECT count(*) FROM (SELECT id, %1$s FROM %2$s ORDER BY 2 LIMIT 3) q',
	'SELECT max(r) FROM (SELECT row_number() OVER (ORDER BY %1$s) r FROM %2$s) q',
	'SELECT max(r) FROM (SELECT count(*) OVER (PARTITION BY %1$s ORDER BY id) r FROM %2$s) q',
	'SELECT count(m) FROM (SELECT max(%1$s) OVER (PARTITION BY id %% 10) m FROM %2$s) q',
	'SELECT count(m) FROM (SELECT min(%1$s) OVER (ORDER BY id ROWS 3 PRECEDING) m FROM %2$s) q',
	'SELECT count(m) FROM (SELECT lag(%1$s) OVER (ORDER BY id) m FROM %2$s) q',
	'SELECT count(*) FROM (SELECT DISTINCT ON (%1$s) id, %1$s FROM %2$s ORDER BY %1$s, id) q',
	'SELECT count(*) FROM (SELECT DISTINCT %1$s FROM %2$s) q',
	'SELECT count(*) FROM (SELECT %1$s, count(*) FROM %2$s GROUP BY %1$s) q',
	'SELECT count(DISTINCT %1$s) FROM %2$s',
	'SELECT min(%1$s) FROM %2$s',
	'SELECT max(%1$s), count(*) FROM %2$s GROUP BY id %% 3 ORDER BY 2, 1 LIMIT 1',
	'SELECT max(%1$s) FILTER (WHERE id < 0) FROM %2$s',
	'SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY %1$s) FROM %2$s',
	'SELECT id %% 3 AS k, percentile_disc(0.5) WITHIN GROUP (ORDER BY %1$s) FROM %2$s GROUP BY 1 ORDER BY 1',
	'SELECT mode() WITHIN GROUP (ORDER BY %1$s) FROM %2$s',
	'SELECT id %% 3 AS k, mode() WITHIN GROUP (ORDER BY %1$s), count(DISTINCT id) FROM %2$s GROUP BY 1 ORDER BY 1',
	'SELECT count(%1$s), max(length(%1$s)) FROM %2$s',
	'SELECT count(*) FROM %2$s WHERE %1$s = ''x7''',
	'SELECT count(*) FROM %2$s WHERE %1$s < ''x7''',
	'SELECT count(*) FROM %2$s WHERE %1$s IN (''x7'', ''x8'', ''7'', ''c8'')',
	'SELECT count(*) FROM %2$s WHERE %1$s LIKE ''%%7''',
	'SELECT count(*) FROM %2$s WHERE %1$s ILIKE ''%%X7''',
	'SELECT count(*) FROM %2$s WHERE substr(%1$s, 1, 2) = ''x7''',
	'SELECT count(*) FROM %2$s WHERE nullif(%1$s, ''x7'') IS NULL',
	'SELECT count(*) FROM %2$s WHERE %1$s IS DISTINCT FROM ''x7''',
	'SELECT count(*) FROM %2$s WHERE greatest(%1$s, ''x7'') IS NOT NULL',
	'SELECT count(*) FROM %2$s WHERE CASE %1$s WHEN ''x7'' THEN 1 ELSE 0 END = 1',
	'SELECT count(*) FROM %2$s WHERE id < 30 AND %1$s NOT IN (SELECT x FROM trap_24_a WHERE id < 9)',
	'SELECT count(*) FROM (SELECT id, %1$s FROM %2$s WHERE id < 0 ORDER BY 2 OFFSET 0) q',
	'SELECT count(*) FROM (SELECT id, %1$s FROM %2$s WHERE id = 7 GROUP BY 1, 2 ORDER BY 2 OFFSET 0) q',
	'SELECT min(%1$s) FROM %2$s WHERE id < 0']) q;
-- joins of columns with different collations
INSERT INTO trap_24_queries (sql)
SELECT format(q, x)
FROM unnest('{x,v,c,w}'::text[]) x, unnest(ARRAY[
	'SELECT count(*) FROM trap_24_a a JOIN trap_24_b b ON a.%1$s = b.%1$s',
	'SELECT count(*) FROM trap_24_a a JOIN trap_24_b b ON a.%1$s = b.%1$s AND a.id = b.id',
	'SELECT count(*) FROM trap_24_a a JOIN trap_24_b b ON a.id = b.id AND a.%1$s < b.%1$s',
	'SELECT count(*) FROM trap_24_a a LEFT JOIN trap_24_b b ON a.%1$s = b.%1$s AND b.id < 0',
	'SELECT count(*) FROM trap_24_a a WHERE EXISTS (SELECT FROM trap_24_b b WHERE a.%1$s = b.%1$s)',
	'SELECT count(*) FROM trap_24_a a WHERE a.%1$s NOT IN (SELECT b.%1$s FROM trap_24_b b)',
	'SELECT count(*) FROM trap_24_a a JOIN trap_24_b b ON a.%1$s = b.%1$s WHERE b.id < 0',
	'SELECT count(*) FROM trap_24_a a WHERE a.%1$s || ''!'' = a.%1$s COLLATE "C"']) q;
-- What a query answers or how it fails.
CREATE FUNCTION trap_24_answer(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	answer text;
BEGIN
	EXECUTE format('SELECT string_agg(q::text, ''/'') FROM (%s) q', query) INTO answer;
	RETURN answer;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
CREATE TABLE trap_24_answers AS SELECT number, sql, ''::text AS ours, ''::text AS theirs FROM trap_24_queries;
SET gpudb.enabled = off;
UPDATE trap_24_answers SET theirs = trap_24_answer(sql);
RESET gpudb.enabled;
SET gpudb.force = on;
UPDATE trap_24_answers SET ours = trap_24_answer(sql);
-- which of PostgreSQL's two it compares or hashes first is a matter of plans
SELECT sql, ours, theirs FROM trap_24_answers WHERE regexp_replace(ours, 'string (hashing|comparison)', '') IS DISTINCT FROM regexp_replace(theirs, 'string (hashing|comparison)', '') ORDER BY number;
SELECT regexp_replace(theirs, ' .*', '') AS state, count(*) FROM trap_24_answers WHERE theirs ~ '^42' GROUP BY 1 ORDER BY 1;
SELECT min(CASE WHEN a.id > 5 THEN a.x ELSE b.x END) FROM trap_24_a a JOIN trap_24_b b USING (id);
SELECT count(*) FROM trap_24_a a JOIN trap_24_b b USING (id) WHERE CASE WHEN a.id > 5 THEN a.x ELSE b.x END = 'x7';
-- what can be told is told
SELECT gpu_nodes('SELECT count(*) FROM (SELECT id, CASE WHEN a.id > 5 THEN a.x ELSE b.x END COLLATE "C" FROM trap_24_a a JOIN trap_24_b b USING (id) ORDER BY 2 OFFSET 0) q') AS sorted,
	gpu_nodes('SELECT min(x) FROM trap_24_a') AS least, gpu_nodes('SELECT min(CASE WHEN a.id > 5 THEN a.x ELSE b.x END) FROM trap_24_a a JOIN trap_24_b b USING (id)') AS indeterminate;
DROP TABLE trap_24_queries, trap_24_answers, trap_24_sources, trap_24_a, trap_24_b;
DROP FUNCTION trap_24_answer;
