-- A GpuScan that a nested loop runs again and again keeps its rows from the second run on.
CREATE TABLE scan_again_outer AS SELECT i AS id, i % 7 AS k FROM generate_series(1, 40) i;
CREATE TABLE scan_again AS SELECT i AS id, i % 50 AS k, 'text ' || i % 11 AS t FROM generate_series(1, 3000) i;
ANALYZE scan_again_outer, scan_again;
SET gpudb.force = on;
SET enable_material = off;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET max_parallel_workers_per_gather = 0;
CREATE FUNCTION scan_again_loops(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
		IF line ~ 'Nested Loop|GpuScan' THEN
			RETURN NEXT line;
		END IF;
	END LOOP;
END
$$;
-- joined by what no device computes, so that PostgreSQL loops
CREATE TABLE scan_again_queries (n int, sql text);
INSERT INTO scan_again_queries VALUES
	(1, 'SELECT count(*) FROM scan_again_outer o JOIN scan_again a ON int4range(a.k, a.k + 2) @> o.k WHERE a.id > 5'),
	(2, 'SELECT sum(o.id), count(DISTINCT a.t), min(a.t) FROM scan_again_outer o JOIN scan_again a ON int4range(a.k, a.k + 2) @> o.k AND a.id % 3 = 0'),
	(3, 'SELECT count(a.id) FROM scan_again_outer o LEFT JOIN scan_again a ON int4range(a.k, a.k + 2) @> (o.k + o.id)'),
	(4, 'SELECT count(*) FROM scan_again_outer o WHERE EXISTS (SELECT FROM scan_again a WHERE int4range(a.id, a.id + 2) @> o.id AND a.k > 1)'),
	(5, 'SELECT count(*), sum(x) FROM scan_again_outer o, LATERAL (SELECT a.id + o.id AS x FROM scan_again a WHERE a.id % 40 = o.id OFFSET 0) q'),
	(6, 'SELECT sum((SELECT count(*) FROM scan_again a WHERE a.k > o.k AND int4range(a.k, a.k + 2) @> o.k)) FROM scan_again_outer o'),
	(7, 'SELECT count(*) > 0 FROM scan_again_outer o JOIN scan_again a ON int4range(a.k, a.k + 2) @> o.k AND random() < 2');
CREATE FUNCTION scan_again_answer(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	answer text;
BEGIN
	EXECUTE 'SELECT row(q.*)::text FROM (' || query || ') q' INTO answer;
	RETURN answer;
END
$$;
SELECT * FROM scan_again_loops((SELECT sql FROM scan_again_queries WHERE n = 1));
CREATE TABLE scan_again_answers AS SELECT n, scan_again_answer(sql) AS answer FROM scan_again_queries;
SET gpudb.enabled = off;
SELECT n, answer = scan_again_answer(sql) AS equal FROM scan_again_queries JOIN scan_again_answers USING (n) ORDER BY n;
DROP FUNCTION scan_again_loops(text), scan_again_answer(text);
DROP TABLE scan_again_outer, scan_again, scan_again_queries, scan_again_answers;
