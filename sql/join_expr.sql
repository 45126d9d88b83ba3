-- Keys that are expressions over the inner side: columns that the build plan computes.
CREATE TABLE join_expr_o (id int, k int, n numeric(8,2), f float8, d timestamp, t text);
INSERT INTO join_expr_o SELECT i, CASE WHEN i % 11 > 0 THEN i % 100 END, (i % 100) * 0.5, i % 100, '2024-01-01'::timestamp + i % 100 * interval '1 day', 'v' || i % 100
FROM generate_series(1, 3000) i;
CREATE TABLE join_expr_i (a int, b bigint, n numeric, f float8, r real, d date, v varchar(20), w int);
INSERT INTO join_expr_i SELECT i, i * 2, i * 0.50, i + 0.5 * (i % 2), i, '2024-01-01'::date + i, 'v' || i, i % 7 FROM generate_series(1, 80) i;
INSERT INTO join_expr_i VALUES (NULL, NULL, 'NaN', 'NaN', 'Infinity', 'infinity', NULL, 1), (5, 5, 5.000, -0.0, 5, '2024-02-02', 'v5', NULL);
ANALYZE join_expr_o, join_expr_i;
SET gpudb.force = on;
SET gpudb.debug_require = require;
SET max_parallel_workers_per_gather = 0;
-- the text of the join's table alone: a list has all pairs
CREATE FUNCTION table_of_join(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
		IF line ~ 'GPU Join \d' THEN
			RETURN NEXT trim(line);
		END IF;
	END LOOP;
END $$;
SELECT table_of_join('SELECT count(*), sum(o.id), sum(i.w) FROM join_expr_o o JOIN join_expr_i i ON o.n = i.a');
SELECT count(*), sum(o.id), sum(i.w) FROM join_expr_o o JOIN join_expr_i i ON o.n = i.a;
SELECT table_of_join('SELECT count(*), sum(o.id), sum(i.w) FROM join_expr_o o JOIN join_expr_i i ON o.f = i.b');
SELECT count(*), sum(o.id), sum(i.w) FROM join_expr_o o JOIN join_expr_i i ON o.f = i.b;
SELECT count(*), sum(o.id), sum(i.w) FROM join_expr_o o JOIN join_expr_i i ON i.f = o.k;
SELECT count(*), sum(o.id), sum(i.w) FROM join_expr_o o JOIN join_expr_i i ON i.r = o.f AND i.a = o.k;
-- and of several sides
SELECT table_of_join('SELECT count(*) FROM join_expr_o o JOIN join_expr_i i ON o.k::numeric = i.b::numeric AND o.n <= i.a');
SELECT count(*), sum(o.id), sum(i.w) FROM join_expr_o o JOIN join_expr_i i ON o.k::numeric = i.b::numeric AND o.n <= i.a;
-- of rows that are not there the expression is NULL, too
SELECT count(*), sum(o.id), count(i.a), count(i.a::numeric), count(coalesce(i.a, 0)) FROM join_expr_o o LEFT JOIN join_expr_i i ON o.n = i.a::numeric AND i.w > 2;
SELECT i.a::numeric, count(*) FROM join_expr_o o LEFT JOIN join_expr_i i ON o.n = i.a::numeric GROUP BY 1 ORDER BY 1 LIMIT 3;
SELECT count(*), sum(o.id) FROM join_expr_o o WHERE EXISTS (SELECT FROM join_expr_i i WHERE o.n = i.a);
SELECT count(*), sum(o.id) FROM join_expr_o o WHERE NOT EXISTS (SELECT FROM join_expr_i i WHERE o.n = i.a AND i.w < o.id);
-- rows of such joins
SELECT o.id, i.a, i.w FROM join_expr_o o JOIN join_expr_i i ON o.n = i.a WHERE o.id < 20 ORDER BY 1, 2, 3;
-- what may raise an error stays with the pairs: PostgreSQL divides only rows that pass the filters
SET gpudb.debug_require = allow;
SELECT table_of_join('SELECT count(*) FROM join_expr_o o LEFT JOIN (SELECT * FROM join_expr_i WHERE w > 0) i ON o.k = 10 / i.w');
SELECT count(*), sum(o.id), sum(i.w) FROM join_expr_o o LEFT JOIN (SELECT * FROM join_expr_i WHERE w > 0) i ON o.k = 10 / i.w;
SELECT count(*), sum(o.id) FROM join_expr_o o JOIN join_expr_i i ON o.k = 10 / i.w;
-- the inner side may be a join, and its expression over both
SELECT count(*), sum(o.id) FROM join_expr_o o JOIN (join_expr_i i JOIN join_expr_i j ON i.a = j.a) ON o.n = i.b AND o.f = j.b * 2;
SELECT count(*), sum(o.id) FROM join_expr_o o JOIN (join_expr_i i JOIN join_expr_i j ON i.a = j.a) ON o.n = i.b AND o.k = j.b * 2;
-- bpchar as text: found without its blanks, and compared as what it is then, in columns of few bytes and of many; names as texts
CREATE TABLE join_expr_b (id int, b bpchar(20), p bpchar(5), t text, v varchar(6), m name);
INSERT INTO join_expr_b SELECT i, i % 100, i % 100, i % 100 || repeat(' ', i % 3), i % 100 || repeat(' ', i % 3), i % 100 || repeat(' ', i % 3) FROM generate_series(1, 3000) i;
INSERT INTO join_expr_b VALUES (0, '', '', '', '', ''), (-1, NULL, NULL, NULL, NULL, NULL), (-2, ' 7', ' 7', ' 7', ' 7', ' 7');
ANALYZE join_expr_b;
SET gpudb.debug_require = require;
SELECT table_of_join('SELECT count(*) FROM join_expr_b o JOIN join_expr_b i ON o.b::text = i.b::text');
SELECT table_of_join('SELECT count(*) FROM join_expr_b o FULL JOIN join_expr_b i ON o.t = i.p');
SELECT table_of_join('SELECT count(*) FROM join_expr_b o FULL JOIN join_expr_b i ON o.t = i.m');
CREATE FUNCTION joined(keys text[]) RETURNS TABLE (o text, i text, n bigint) LANGUAGE plpgsql AS $$
BEGIN
	FOR o, i IN SELECT x, y FROM unnest(keys) x, unnest(keys) y LOOP
		EXECUTE format('SELECT count(*) FROM join_expr_b o JOIN join_expr_b i ON o.%s = i.%s', o, i) INTO n;
		RETURN NEXT;
	END LOOP;
END $$;
CREATE TABLE join_expr_joined AS SELECT * FROM joined('{b::text,p::text,b,p,t,v,m}');
SET gpudb.debug_require = allow;
SET gpudb.enabled = off;
SELECT o, i, j.n, p.n = j.n AS same FROM join_expr_joined j JOIN joined('{b::text,p::text,b,p,t,v,m}') p USING (o, i) ORDER BY 1, 2;
RESET gpudb.enabled;
DROP FUNCTION joined;
DROP FUNCTION table_of_join;
DROP TABLE join_expr_b, join_expr_joined, join_expr_o, join_expr_i;
