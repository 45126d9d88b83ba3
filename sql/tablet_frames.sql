-- How cached columns are stored: integers as differences from a base, as narrow as a tablet's values allow
SET gpudb.force = on;
SET gpudb.device = cpu;
SET gpudb.debug_require = require;
-- whether a query's answer is PostgreSQL's, when it leaves columns behind and when it finds them
CREATE FUNCTION tablet_frames(query text, OUT added int, OUT used int, OUT right_answers bool) LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
	first text;
	second text;
	theirs text;
BEGIN
	EXECUTE query INTO first;
	EXECUTE query INTO second;
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
	added := coalesce(jsonb_path_query_first(plan, '$.**."Tablets Added"')::int, 0);
	used := coalesce(jsonb_path_query_first(plan, '$.**."Tablets Cached"')::int, 0);
	PERFORM set_config('gpudb.enabled', 'off', true), set_config('gpudb.debug_require', 'allow', true);
	EXECUTE query INTO theirs;
	PERFORM set_config('gpudb.enabled', 'on', true), set_config('gpudb.debug_require', 'require', true);
	right_answers := first IS NOT DISTINCT FROM theirs AND second IS NOT DISTINCT FROM theirs;
END $$;
CREATE TABLE tablet_frames (
	id int NOT NULL, same int, same_null int, no_value bigint, flag "char", code char(1), small smallint, up bigint, down bigint,
	jump bigint, late bigint, edge bigint, minute timestamp, day date, price numeric(12,2), wide numeric, who oid, f float8, filler text)
	WITH (fillfactor = 90);
INSERT INTO tablet_frames
	SELECT i, 7, CASE WHEN i % 3 > 0 THEN -7 END, NULL, (i % 100)::"char", chr(65 + i % 26), i % 1000 - 500, 1000000007::bigint * i, -70000::bigint * i,
		CASE WHEN i % 5000 = 4999 THEN 1000000000000 ELSE i % 3 END, CASE WHEN i > 9000 THEN 123456789012 + i % 9 END,
		CASE i WHEN 6000 THEN 9223372036854775807 WHEN 12000 THEN -9223372036854775808 ELSE i END,
		timestamp '2024-01-01' + i * interval '1 minute', date '1992-01-01' + i % 2526, i * 0.25,
		CASE WHEN i % 9000 = 8999 THEN 123456789012345678901234567890.5 ELSE i % 100 END, i, i / 8.0, repeat('-', 500)
	FROM generate_series(1, 20000) i;
VACUUM ANALYZE tablet_frames;

SELECT c AS col, t.* FROM unnest('{id,same,same_null,no_value,small,up,down,jump,late,edge,price,wide,f}'::text[]) c,
	tablet_frames(format('SELECT ROW(count(%1$I), sum(%1$I), min(%1$I), max(%1$I), count(*) FILTER (WHERE %1$I > 500)) FROM tablet_frames', c)) t;
SELECT c AS col, t.* FROM unnest('{minute,day,who}'::text[]) c,
	tablet_frames(format('SELECT ROW(count(%1$I), min(%1$I), max(%1$I)) FROM tablet_frames WHERE id %% 7 < 5', c)) t;
SELECT c AS col, t.* FROM unnest('{flag,code}'::text[]) c,
	tablet_frames(format('SELECT array_agg(g ORDER BY g) FROM (SELECT ROW(%1$I, count(*), sum(id))::text AS g FROM tablet_frames GROUP BY %1$I OFFSET 0) s', c)) t;
SELECT column_name, first_block, form, bytes, bytes_raw FROM gpudb.tablets WHERE relation = 'tablet_frames'::regclass ORDER BY 1, 2;

-- some rows change: what is read anew and what was there before have a frame in common, or numbers that only 128 bits hold
UPDATE tablet_frames SET same = 300, same_null = 70000, no_value = id, code = 'z', small = -small, up = -up, jump = 7, late = 3, edge = 0,
	minute = minute + interval '1 second', price = -1, wide = 1e30
	WHERE ctid IN (SELECT ('(' || b || ',1)')::tid FROM generate_series(0, 1000, 20) b);
VACUUM tablet_frames;
SELECT c AS col, t.* FROM unnest('{id,same,same_null,no_value,small,up,down,jump,late,edge,price,wide,f}'::text[]) c,
	tablet_frames(format('SELECT ROW(count(%1$I), sum(%1$I), min(%1$I), max(%1$I), count(*) FILTER (WHERE %1$I > 500)) FROM tablet_frames', c)) t;
SELECT c AS col, t.* FROM unnest('{minute,code}'::text[]) c,
	tablet_frames(format('SELECT ROW(count(%1$I), min(%1$I), max(%1$I)) FROM tablet_frames WHERE id %% 7 < 5', c)) t;
SELECT column_name, form FROM gpudb.tablets
	WHERE relation = 'tablet_frames'::regclass AND first_block = 0 AND column_name <> ALL ('{flag,day,who}') ORDER BY 1;

SELECT column_name, tablets, rows > 0 AS rows, differences FROM gpudb.check('tablet_frames') ORDER BY 1;
SELECT gpudb.evict('tablet_frames') > 0 AS evicted;

-- columns change their frames, and move, while windows of theirs are under way
SET gpudb.cpu_threads = 8;
DO $$
DECLARE
	found record;
BEGIN
	FOR round IN 1 .. 5 LOOP
		PERFORM count(*), sum(id), sum(same), sum(same_null), sum(no_value), sum(small), sum(up), sum(down), sum(jump), sum(late), sum(edge), sum(price),
			sum(wide), sum(f), max(minute), max(day), max(code) FROM tablet_frames WHERE id % 7 < 5;
		SELECT count(*) AS columns, min(tablets) AS tablets, sum(differences) AS differences INTO found FROM gpudb.check('tablet_frames');
		RAISE NOTICE '% columns of % tablets, % differences', found.columns, found.tablets, found.differences;
		PERFORM gpudb.evict('tablet_frames');
	END LOOP;
END $$;
DROP TABLE tablet_frames;
DROP FUNCTION tablet_frames;
