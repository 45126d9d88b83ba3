-- Rows that policies and security barriers hide: nothing of a plan, a result, a view or a message depends on their values
CREATE ROLE plan_hidden_role;
CREATE TABLE plan_hidden (id int NOT NULL, tenant int NOT NULL, k int, salary numeric(12,2) NOT NULL, free numeric, d date, f float8, note text, own text)
	WITH (autovacuum_enabled = off);
INSERT INTO plan_hidden SELECT i, i % 10, i % 7, 1000 + i % 10 * 7, i % 10 / 4.0, date '2024-01-01' + i % 10, i % 100, 'usual ' || i % 5, 'tenant ' || i % 10
	FROM generate_series(1, 20000) i;
UPDATE plan_hidden SET note = 'CEO bonus 4,711,000 EUR', salary = 4711000.42, free = 4711000.5, d = '2030-05-05', f = 1e300 WHERE id = 13333;
-- the same table without a NaN
CREATE TABLE plan_hidden_plain (LIKE plan_hidden) WITH (autovacuum_enabled = off);
INSERT INTO plan_hidden_plain SELECT * FROM plan_hidden ORDER BY ctid;
CREATE TABLE plan_hidden_nan (LIKE plan_hidden) WITH (autovacuum_enabled = off);
INSERT INTO plan_hidden_nan SELECT id, tenant, k, salary, CASE WHEN id = 13333 THEN 'NaN' ELSE free END, d, f, note, own FROM plan_hidden ORDER BY ctid;
CREATE TABLE plan_hidden_public (salary numeric(12,2), free numeric, note text, k int);
INSERT INTO plan_hidden_public VALUES (1000.00, 0.00, 'usual 0', 0), (1000.00, 0.00, 'usual 0', 1);
CREATE TABLE plan_hidden_tree (LIKE plan_hidden) PARTITION BY RANGE (id);
CREATE TABLE plan_hidden_tree_1 PARTITION OF plan_hidden_tree FOR VALUES FROM (0) TO (10000) WITH (autovacuum_enabled = off);
CREATE TABLE plan_hidden_tree_2 PARTITION OF plan_hidden_tree FOR VALUES FROM (10000) TO (100000) WITH (autovacuum_enabled = off);
INSERT INTO plan_hidden_tree SELECT * FROM plan_hidden ORDER BY ctid;
CREATE VIEW plan_hidden_barrier WITH (security_barrier) AS SELECT * FROM plan_hidden_plain WHERE tenant = 0;
DO $$
DECLARE
	name text;
BEGIN
	FOREACH name IN ARRAY '{plan_hidden, plan_hidden_plain, plan_hidden_nan, plan_hidden_tree}'::text[] LOOP
		EXECUTE format('CREATE POLICY own ON %I USING (tenant = 0)', name);
		EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
		EXECUTE format('GRANT SELECT ON %I TO plan_hidden_role', name);
	END LOOP;
END $$;
GRANT SELECT ON plan_hidden_public, plan_hidden_barrier TO plan_hidden_role;
VACUUM ANALYZE plan_hidden, plan_hidden_plain, plan_hidden_nan, plan_hidden_public, plan_hidden_tree;
SELECT count(gpudb.prewarm(name)) FROM unnest('{plan_hidden, plan_hidden_plain, plan_hidden_tree_1, plan_hidden_tree_2, plan_hidden_nan}'::regclass[]) name;

-- A query's plan after it ran, in all formats, and its rows, with what was asked for replaced.
CREATE FUNCTION plan_hidden_told(query text, asked text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	told text := '';
	line text;
	options text;
BEGIN
	FOREACH options IN ARRAY '{"ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF", "ANALYZE, VERBOSE, TIMING OFF, SUMMARY OFF, FORMAT JSON",
		"ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF, FORMAT XML", "ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, FORMAT YAML", "VERBOSE, COSTS OFF"}'::text[] LOOP
		FOR line IN EXECUTE format('EXPLAIN (%s) %s', options, query) LOOP
			-- what a query costs goes by selectivities, as PostgreSQL estimates them
			line := regexp_replace(line, '"(Plan Rows|Startup Cost|Total Cost|Predicted Time)": [0-9.]+', '', 'g');
			told := told || replace(line, asked, '?') || E'\n';
		END LOOP;
	END LOOP;
	FOR line IN EXECUTE format('SELECT q::text FROM (%s) q ORDER BY 1', query) LOOP
		told := told || line || E'\n';
	END LOOP;
	RETURN told;
END $$;

-- Ask with both of two guesses; those queries of which more is told of one than of the other, with what differs.
CREATE FUNCTION plan_hidden_differs(query text, here text, nowhere text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	told text[] := ARRAY[plan_hidden_told(replace(query, '?', here), here), plan_hidden_told(replace(query, '?', nowhere), nowhere)];
BEGIN
	IF told[1] = told[2] THEN
		RETURN 'nothing';
	END IF;
	RETURN (SELECT string_agg(coalesce(a, '') || ' | ' || coalesce(b, ''), '; ')
		FROM ROWS FROM (string_to_table(told[1], E'\n'), string_to_table(told[2], E'\n')) AS both_of(a, b) WHERE a IS DISTINCT FROM b);
END $$;

SET gpudb.force = on;
SET ROLE plan_hidden_role;
CREATE TEMP TABLE guesses (number int, query text, here text, nowhere text);
INSERT INTO guesses VALUES
	-- what PostgreSQL would be asked of each value of a dictionary
	(1, $$SELECT count(*) FROM plan_hidden WHERE note ~ '?'$$, '^CEO b', '^CEO c'),
	(2, $$SELECT count(*) FROM plan_hidden WHERE note LIKE '?'$$, 'CEO b%', 'CEO c%'),
	(3, $$SELECT count(*) FROM plan_hidden WHERE note ILIKE '?'$$, '%ceo b%', '%ceo c%'),
	(4, $$SELECT count(*), max(id) FROM plan_hidden WHERE left(note, 5) = '?'$$, 'CEO b', 'CEO c'),
	(5, $$SELECT id FROM plan_hidden WHERE note ~ '?' OR upper(note) = '?'$$, 'CEO b', 'CEO c'),
	(6, $$SELECT count(*) FILTER (WHERE note ~ '?') FROM plan_hidden$$, 'CEO b', 'CEO c'),
	(7, $$SELECT note ~ '?' AS g, count(*) FROM plan_hidden GROUP BY 1$$, 'CEO b', 'CEO c'),
	(8, $$SELECT sum(CASE WHEN note ~ '?' THEN 1 ELSE 0 END) FROM plan_hidden$$, 'CEO b', 'CEO c'),
	(9, $$SELECT note, count(*) FROM plan_hidden WHERE note ~ '?' GROUP BY note$$, 'CEO b', 'CEO c'),
	-- zone maps
	(10, $$SELECT count(*) FROM plan_hidden WHERE salary > ?$$, '2000000', '6000000'),
	(11, $$SELECT count(*) FROM plan_hidden WHERE salary BETWEEN ? AND 9000000$$, '2000000', '6000000'),
	(12, $$SELECT count(*) FROM plan_hidden WHERE salary IN (?, 5)$$, '4711000.42', '6711000.42'),
	(13, $$SELECT count(*) FROM plan_hidden WHERE salary + 1 >= ? AND NOT (salary < ?)$$, '2000000', '6000000'),
	(14, $$SELECT id FROM plan_hidden WHERE salary = ? OR salary = 1$$, '4711000.42', '6711000.42'),
	(15, $$SELECT count(*) FROM plan_hidden WHERE (salary > ?) IS TRUE$$, '2000000', '6000000'),
	(16, $$SELECT count(*) FROM plan_hidden WHERE d - date '2000-01-01' > ? AND salary > 10$$, '10600', '11400'),
	(17, $$SELECT min(salary), max(salary), count(DISTINCT k) FROM plan_hidden WHERE salary > ?$$, '2000000', '6000000'),
	(18, $$SELECT k, sum(salary) FROM plan_hidden WHERE salary > ? GROUP BY k ORDER BY 2 DESC LIMIT 3$$, '2000000', '6000000'),
	(19, $$SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY id) FROM plan_hidden WHERE salary > ?$$, '2000000', '6000000'),
	(20, $$SELECT id, salary FROM plan_hidden WHERE salary > ? ORDER BY salary, id LIMIT 5$$, '2000000', '6000000'),
	(21, $$SELECT id, rank() OVER (ORDER BY salary) FROM plan_hidden WHERE salary > ?$$, '2000000', '6000000'),
	(22, $$SELECT DISTINCT k FROM plan_hidden WHERE salary > ?$$, '2000000', '6000000'),
	(23, $$SELECT k, d, count(*) FROM plan_hidden WHERE salary > ? GROUP BY ROLLUP (k, d)$$, '2000000', '6000000'),
	-- joins, of which keys are compared by what is not leakproof
	(24, $$SELECT count(*) FROM plan_hidden h JOIN plan_hidden_public p ON p.salary + ? - 1000.00 = h.salary$$, '4711000.42', '6711000.42'),
	(25, $$SELECT count(*) FROM plan_hidden h WHERE EXISTS (SELECT FROM plan_hidden_public p WHERE p.salary + ? - 1000.00 = h.salary)$$, '4711000.42', '6711000.42'),
	(26, $$SELECT count(*) FROM plan_hidden h WHERE h.salary IN (SELECT p.salary + ? - 1000.00 FROM plan_hidden_public p)$$, '4711000.42', '6711000.42'),
	(27, $$SELECT count(*) FROM plan_hidden h WHERE h.salary NOT IN (SELECT p.salary + ? - 1000.00 FROM plan_hidden_public p)$$, '4711000.42', '6711000.42'),
	(28, $$SELECT count(*) FROM plan_hidden h JOIN plan_hidden_public p ON h.salary BETWEEN p.salary + ? - 1000.00 AND 9000000$$, '4711000.42', '6711000.42'),
	(29, $$SELECT p.k, count(h.id) FROM plan_hidden_public p LEFT JOIN plan_hidden h ON h.k = p.k AND h.salary > ? GROUP BY p.k$$, '2000000', '6000000'),
	(30, $$SELECT h.id, p.k FROM plan_hidden h JOIN plan_hidden_public p ON p.k = h.k WHERE h.note ~ '?' AND p.note ~ 'usual'$$, 'CEO b', 'CEO c'),
	(31, $$SELECT count(*) FROM plan_hidden a JOIN plan_hidden b ON a.id = b.id WHERE a.salary > ? AND b.note LIKE 'CEO%'$$, '2000000', '6000000'),
	-- other ways to the same rows
	(32, $$SELECT count(*) FROM plan_hidden_barrier WHERE salary > ?$$, '2000000', '6000000'),
	(33, $$SELECT count(*) FROM plan_hidden_barrier WHERE note ~ '?'$$, 'CEO b', 'CEO c'),
	(34, $$SELECT count(*) FROM plan_hidden_tree WHERE salary > ?$$, '2000000', '6000000'),
	(35, $$SELECT count(*) FROM plan_hidden_tree WHERE note ~ '?'$$, 'CEO b', 'CEO c'),
	(36, $$SELECT id FROM plan_hidden_tree WHERE salary > ?$$, '2000000', '6000000'),
	(37, $$SELECT (SELECT count(*) FROM plan_hidden h WHERE h.salary > ?) FROM plan_hidden_public$$, '2000000', '6000000'),
	(38, $$WITH w AS MATERIALIZED (SELECT * FROM plan_hidden WHERE salary > ?) SELECT count(*) FROM w$$, '2000000', '6000000'),
	(39, $$SELECT count(*) FROM plan_hidden WHERE salary > ? UNION ALL SELECT count(*) FROM plan_hidden_plain WHERE note ~ 'CEO'$$, '2000000', '6000000'),
	-- errors that only hidden rows would raise
	(40, $$SELECT count(*) FROM plan_hidden WHERE 1 / (salary - ?) > 0$$, '4711000.42', '6711000.42'),
	(41, $$SELECT count(*) FROM plan_hidden WHERE (salary * ?)::int > 0$$, '511', '411'),
	(42, $$SELECT count(*) FROM plan_hidden WHERE f * ? >= 0$$, '1e+100', '1e+50'),
	(43, $$SELECT count(*) FROM plan_hidden WHERE 1 / (id - ?) = 0$$, '13333', '99993');
SELECT number, plan_hidden_differs(query, here, nowhere) AS differs FROM guesses ORDER BY number;

-- a value that no device computes with
SELECT number, plan_hidden_told(replace(query, '?', 'plan_hidden_nan'), 'plan_hidden_nan') =
	plan_hidden_told(replace(query, '?', 'plan_hidden_plain'), 'plan_hidden_plain') AS alike
FROM (VALUES (1, 'SELECT sum(free) FROM ?'), (2, 'SELECT id, free FROM ? WHERE id < 100'), (3, 'SELECT k, max(free) FROM ? GROUP BY k ORDER BY 2, 1 LIMIT 2'),
	(4, 'SELECT count(*) FROM ? WHERE free > 1'), (5, 'SELECT h.id FROM ? h JOIN plan_hidden_public p ON p.free = h.free WHERE h.id < 100'),
	(6, 'SELECT p.k, h.free FROM plan_hidden_public p JOIN ? h ON p.k = h.id'), (7, 'SELECT id, free FROM ? ORDER BY free, id LIMIT 3'),
	(8, 'SELECT k, sum(free) FROM ? GROUP BY k ORDER BY 2 DESC, 1 LIMIT 2')) q(number, query) ORDER BY 1;

-- a function of the user's sees no hidden row
CREATE FUNCTION pg_temp.tell(x text) RETURNS bool LANGUAGE plpgsql IMMUTABLE STRICT COST 0.0001 AS $$
	BEGIN IF x LIKE 'CEO%' THEN RAISE NOTICE 'seen: %', x; END IF; RETURN true; END $$;
CREATE FUNCTION pg_temp.tell(x numeric) RETURNS bool LANGUAGE plpgsql IMMUTABLE STRICT COST 0.0001 AS $$
	BEGIN IF x > 10000 THEN RAISE NOTICE 'seen: %', x; END IF; RETURN true; END $$;
CREATE OPERATOR pg_temp.~~~ (FUNCTION = pg_temp.tell, RIGHTARG = text);
SELECT count(*) FROM plan_hidden WHERE pg_temp.tell(note);
SELECT count(*) FROM plan_hidden WHERE OPERATOR(pg_temp.~~~) note AND pg_temp.tell(salary);
SELECT count(*) FROM plan_hidden WHERE pg_temp.tell(salary) AND note ~ 'CEO';
SELECT count(*) FILTER (WHERE pg_temp.tell(note)), bool_and(pg_temp.tell(salary)) FROM plan_hidden;
SELECT count(*) FROM plan_hidden_barrier WHERE pg_temp.tell(note);
SELECT count(*) FROM plan_hidden_tree WHERE pg_temp.tell(note) AND pg_temp.tell(salary);
SELECT count(*) FROM plan_hidden h JOIN plan_hidden_public p ON pg_temp.tell(h.note || p.note);
SELECT pg_temp.tell(note), count(*) FROM plan_hidden GROUP BY 1;

-- a policy that stays with PostgreSQL comes first nevertheless
RESET ROLE;
CREATE FUNCTION plan_hidden_own(x text) RETURNS bool LANGUAGE sql IMMUTABLE LEAKPROOF COST 1 AS $$ SELECT CASE WHEN x = 'tenant 0' THEN true ELSE length(x) < 0 END $$;
ALTER FUNCTION plan_hidden_own(text) SET work_mem = '4MB';
ALTER POLICY own ON plan_hidden_plain USING (plan_hidden_own(own));
SET ROLE plan_hidden_role;
SELECT plan_hidden_differs(query, here, nowhere) AS differs FROM (VALUES
	($$SELECT id FROM plan_hidden_plain WHERE salary > ?$$, '2000000', '6000000'),
	($$SELECT count(*) FROM plan_hidden_plain WHERE note LIKE '?' AND salary > 1$$, 'CEO b%', 'CEO c%'),
	($$SELECT id FROM plan_hidden_plain WHERE 1 / (id - ?) > 0$$, '13333', '99993')) q(query, here, nowhere);

-- a cached plan is not used for another role
RESET ROLE;
GRANT ALL ON guesses TO PUBLIC;
PREPARE cached(numeric) AS SELECT count(*) FROM plan_hidden WHERE salary > $1;
SET plan_cache_mode = force_generic_plan;
EXECUTE cached(2000000);
SET ROLE plan_hidden_role;
EXECUTE cached(2000000);
SELECT explain('EXECUTE cached(2000000)', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF');
SELECT explain('EXECUTE cached(6000000)', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF');
RESET plan_cache_mode;
DEALLOCATE cached;

-- views, and what prewarming would tell
SELECT count(*) FROM gpudb.tablets WHERE relation::text LIKE 'plan\_hidden%' AND relation <> 'plan_hidden_public'::regclass;
SELECT count(*) FROM gpudb.cache WHERE relation::text LIKE 'plan\_hidden%' AND relation <> 'plan_hidden_public'::regclass;
SELECT count(*) FROM gpudb.dictionaries WHERE relation::text LIKE 'plan\_hidden%' AND relation <> 'plan_hidden_public'::regclass;
SELECT count(memory_used) + count(cached) AS of_memory FROM gpudb.devices;
SELECT gpudb.prewarm('plan_hidden_nan', '{free}');
SELECT gpudb.evict('plan_hidden');
SELECT * FROM gpudb.check('plan_hidden');
RESET ROLE;
RESET gpudb.force;
DROP TABLE guesses;
DROP VIEW plan_hidden_barrier;
DROP TABLE plan_hidden, plan_hidden_plain, plan_hidden_nan, plan_hidden_public, plan_hidden_tree;
DROP FUNCTION plan_hidden_own(text), plan_hidden_told(text, text), plan_hidden_differs(text, text, text);
DROP OWNED BY plan_hidden_role CASCADE;
DROP ROLE plan_hidden_role;
