-- What later files use.

-- The gpudb nodes in the plan of a query, from the top downward.
CREATE FUNCTION gpu_nodes(query text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
	line text;
	found text := '';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		found := concat_ws(' ', nullif(found, ''), substring(line FROM '\((Gpu\w+)\)'));
	END LOOP;
	RETURN found;
END $$;

-- Run EXPLAIN ANALYZE and say how many rows the top node returned.
CREATE FUNCTION analyzed_rows(query text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, VERBOSE, BUFFERS, FORMAT JSON) ' || query INTO plan;
	RETURN (plan -> 0 -> 'Plan' ->> 'Actual Rows')::float8::bigint;
END $$;

-- EXPLAIN without what differs from device to device: which one it is, and what a GPU left to the CPU.  A line that
-- says so alone is left out, so that one expected file serves all.  A device other than gpudb.device is shown, unless
-- that cannot run the program.
CREATE FUNCTION explain(query text, options text DEFAULT 'COSTS OFF') RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
	line text;
	device text := replace(current_setting('gpudb.device'), 'auto', 'cpu|gpu') || '|cpu \(a GPU cannot run this program\)';
BEGIN
	FOR line IN EXECUTE format('EXPLAIN (%s) %s', options, query) LOOP
		CONTINUE WHEN line ~ '^ *(Tablets on|Left to) CPU:';
		line := regexp_replace(line, '\n *["<]?(Tablets.on|Left.to).CPU[^\n]*', '', 'g');
		RETURN NEXT regexp_replace(line, format('(\m(?:Device|Sorted.On)("?: "?|>))(%s)(?!\w| \()', device), '\1any', 'g');
	END LOOP;
END $$;

-- Ask all queries (number, sql) of a table with gpudb and without, and warn where the rows differ, as a multiset or in
-- their order, where no node of this kind is in the plan, or where one falls back.  How many they are.
CREATE FUNCTION compare_answers(queries regclass, node text, ordered boolean DEFAULT false) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
	query record;
	line text;
	ours text;
	theirs text;
	asked bigint := 0;
	rows_of text := 'SELECT string_agg(q::text, ''/''' || CASE WHEN ordered THEN '' ELSE ' ORDER BY q::text' END || ') FROM (%s) q';
BEGIN
	FOR query IN EXECUTE format('SELECT sql FROM %s ORDER BY number', queries) LOOP
		EXECUTE format(rows_of, query.sql) INTO ours;
		SET LOCAL gpudb.debug_require = allow;
		SET LOCAL gpudb.enabled = off;
		EXECUTE format(rows_of, query.sql) INTO theirs;
		RESET gpudb.enabled;
		SET LOCAL gpudb.debug_require = require;
		IF ours IS DISTINCT FROM theirs THEN
			RAISE WARNING '%: %, not %', query.sql, ours, theirs;
		END IF;
		IF gpu_nodes(query.sql) !~ node THEN
			RAISE WARNING '% has nodes %', query.sql, gpu_nodes(query.sql);
		END IF;
		-- gpudb.debug_require says nothing of queries in functions
		FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query.sql LOOP
			IF line ~ 'Fallback:' THEN
				RAISE WARNING '%: %', query.sql, line;
			END IF;
		END LOOP;
		asked := asked + 1;
	END LOOP;
	RETURN asked;
END $$;

-- Of a query that gives rows: tablets used and left behind, blocks of the former that were read, rows fetched, how many rows its next run gives,
-- and whether they are PostgreSQL's in their order.
CREATE FUNCTION cached_rows(query text, OUT used int, OUT added int, OUT reread int, OUT fetched int, OUT n int, OUT same bool)
LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
	ours text[];
	theirs text[];
BEGIN
	-- PostgreSQL prunes the pages that it reads, and so changes them
	PERFORM set_config('gpudb.enabled', 'off', true), set_config('gpudb.debug_require', 'allow', true);
	EXECUTE format('SELECT array_agg(s::text) FROM (%s OFFSET 0) s', query) INTO theirs;
	PERFORM set_config('gpudb.enabled', 'on', true), set_config('gpudb.debug_require', 'require', true);
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
	used := coalesce(jsonb_path_query_first(plan, '$.**."Tablets Cached"')::int, 0);
	added := coalesce(jsonb_path_query_first(plan, '$.**."Tablets Added"')::int, 0);
	reread := coalesce(jsonb_path_query_first(plan, '$.**."Cached Blocks Reread"')::int, 0);
	fetched := jsonb_path_query_first(plan, '$.**."Rows Fetched"')::int;
	EXECUTE format('SELECT array_agg(s::text) FROM (%s OFFSET 0) s', query) INTO ours;
	n := coalesce(cardinality(ours), 0);
	same := ours IS NOT DISTINCT FROM theirs;
END $$;
