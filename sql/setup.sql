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
