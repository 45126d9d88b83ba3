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
		RETURN NEXT regexp_replace(line, format('(\mDevice("?: "?|>))(%s)(?!\w| \()', device), '\1any', 'g');
	END LOOP;
END $$;
