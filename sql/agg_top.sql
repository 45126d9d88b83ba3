-- Groups that are sorted for their first n: those that cannot be among them are left out.
CREATE TYPE agg_top_mood AS ENUM ('low', 'high');
CREATE DOMAIN agg_top_number AS int;
CREATE TABLE agg_top (id int NOT NULL, k int NOT NULL, g int, s int2, i int, l int8, n numeric(12,2), u numeric, f float8, r float4, d date, ts timestamp, tz timestamptz, tm time, z timetz, o oid, x uuid, b bool, t text, e agg_top_mood, w agg_top_number);
INSERT INTO agg_top
SELECT i, i % 3000, nullif(i % 3000 / 2, 700), nullif((i * 7 % 3001 - 1500)::int2, 11), nullif(i * 31 % 60013 - 30000, 5), nullif(i * 47::int8 % 20011 * 10000000000 - 99000000000000, 70), nullif(i * 19 % 9973, 77) / 100.0 - 40,
	round(i * 13 % 4001 / 8.0, 3), nullif(i * 3 % 2003, 8) / 8.0 - 100, nullif(i % 1999, 9) / 4.0, date '2001-01-01' + nullif(i % 2100, 3), timestamp '2001-01-01' + interval '1 min' * (i % 2200), timestamptz '2001-01-01 UTC' + interval '1 min' * (i % 2300),
	time '00:00' + interval '1 s' * (i % 2400), (time '12:00' + interval '1 s' * (i % 2500)) AT TIME ZONE '+02', (i::int8 * 2000003 % 4294967296)::oid, md5((i % 2600)::text)::uuid, i % 3000 < 1000, 't' || i % 2700, CASE WHEN i % 3 = 0 THEN 'low'::agg_top_mood ELSE 'high' END, i % 2800
FROM generate_series(1, 18000) i;
-- groups of NULLs alone, values at both ends, infinities and NaN
INSERT INTO agg_top (id, k, g) SELECT 20000 + i, 4000 + i / 2, 4000 + i / 2 FROM generate_series(1, 20) i;
INSERT INTO agg_top (id, k, g, s, i, l, n, u, f, r, d, ts) VALUES
	(30001, 5001, 5001, 32767, 2147483647, 9223372036854775807, 9999999999.99, 99999999999999999999, 'NaN', 'NaN', 'infinity', 'infinity'),
	(30002, 5002, 5002, -32768, -2147483648, -9223372036854775808, -9999999999.99, -99999999999999999999, '-infinity', '-infinity', '-infinity', '-infinity'),
	(30003, 5003, 5003, 0, 0, 9223372036854775807, 0, 0, 'infinity', 'infinity', 'epoch', 'epoch'), (30004, 5003, 5003, 0, 0, 9223372036854775807, 0, 0, 'infinity', 'infinity', 'epoch', 'epoch');
ANALYZE agg_top;
SET gpudb.force = on;
SET gpudb.cache = off;
SET timezone = 'UTC';
\pset null '(null)'
\pset format unaligned
\pset tuples_only on
-- What the node says of a query, how many groups it leaves out, and whether the rows are those that PostgreSQL returns.
CREATE FUNCTION top_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	top text;
	left_out text;
	ours text;
	theirs text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
		top := coalesce(top, substring(line FROM 'GPU Top: (.*)'));
		left_out := coalesce(left_out, substring(line FROM 'Groups Left Out: (.*)'));
		IF line ~ 'Fallback' THEN
			RETURN line;
		END IF;
	END LOOP;
	EXECUTE format('SELECT string_agg(q::text, '' '') FROM (%s) q', query) INTO ours;
	PERFORM set_config('gpudb.enabled', 'off', false);
	EXECUTE format('SELECT string_agg(q::text, '' '') FROM (%s) q', query) INTO theirs;
	PERFORM set_config('gpudb.enabled', 'on', false);
	RETURN format('%s, %s left out: %s', coalesce(top, 'all'), coalesce(left_out, 'none'), CASE WHEN ours = theirs THEN 'the same' ELSE concat_ws(' not ', ours, theirs) END);
END $$;
SELECT explain('SELECT k, sum(n) AS s, count(*) FROM agg_top WHERE id > 5 GROUP BY k ORDER BY s DESC, k LIMIT 10 OFFSET 2');
SELECT explain('SELECT g, min(a.l) FROM agg_top a GROUP BY g ORDER BY 2 NULLS FIRST, g LIMIT 3', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF');
-- every aggregate and key that PostgreSQL orders as it is stored, both ways, and NULLs at either end
SELECT top_of(format('SELECT g, %s AS v FROM agg_top GROUP BY g ORDER BY v%s, g LIMIT 25', v, o))
FROM unnest('{count(*),count(i),count(i) FILTER (WHERE id % 5 = 1),sum(s),sum(i),sum(l),sum(n),sum(u),sum(n * (1 - n)),sum(n) FILTER (WHERE i > 0),min(s),max(i),min(l),max(n),min(u),max(u),max(f),min(r),min(d),max(ts),min(tz),max(tm),min(z),max(o)}'::text[]) v,
	unnest('{""," DESC"," NULLS FIRST"," DESC NULLS LAST"}'::text[]) o;
SELECT top_of(format('SELECT %s AS v, count(*), sum(n) FROM agg_top GROUP BY 1 ORDER BY v%s LIMIT 25', v, o))
FROM unnest('{k,g,s,i,l,n,f,r,d,ts,tz,tm,z,o,x,k % 100,n * 2,w}'::text[]) v, unnest('{""," DESC"," NULLS FIRST"," DESC NULLS LAST"}'::text[]) o;
SELECT top_of('SELECT b, k, count(*) FROM agg_top GROUP BY b, k ORDER BY b, k LIMIT 7');
-- ties at the bound are for the keys that follow to decide
SELECT top_of('SELECT k, count(*) FROM agg_top GROUP BY k ORDER BY count(*) DESC, k DESC LIMIT 4');
SELECT top_of('SELECT g, count(*), max(i) FROM agg_top GROUP BY g ORDER BY count(*), max(i) DESC NULLS LAST, g LIMIT 4');
SELECT top_of('SELECT k / 100 AS h, d, count(*) FROM agg_top GROUP BY h, d ORDER BY h DESC, d LIMIT 6');
SELECT top_of('SELECT k, count(*) FROM agg_top GROUP BY k ORDER BY count(*) DESC, k FETCH FIRST 5 ROWS WITH TIES');
SELECT count(*), sum(k) FROM (SELECT k, count(*) FROM agg_top WHERE k < 2000 OR id < 6000 GROUP BY k ORDER BY count(*) DESC FETCH FIRST 5 ROWS WITH TIES) q;
SELECT top_of('SELECT * FROM (SELECT g, max(s) AS m FROM agg_top GROUP BY g ORDER BY m DESC FETCH FIRST 2 ROWS WITH TIES) q ORDER BY g');
-- few groups, no rows, OFFSET, limits beyond what is looked for
SELECT top_of('SELECT k % 3 AS c, sum(i) FROM agg_top WHERE k < 3000 GROUP BY 1 ORDER BY 2 DESC LIMIT 5');
SELECT top_of('SELECT k % 3 AS c, sum(i) FROM agg_top WHERE k < 3000 GROUP BY 1 ORDER BY 2 DESC LIMIT 3');
SELECT count(*) FROM (SELECT k, sum(i) FROM agg_top WHERE id < 0 GROUP BY 1 ORDER BY 2 DESC LIMIT 3) q;
SELECT top_of('SELECT k, sum(l) FROM agg_top GROUP BY k ORDER BY 2 DESC, k LIMIT 3 OFFSET 2900');
SELECT top_of('SELECT k, sum(l) FROM agg_top GROUP BY k ORDER BY 2 DESC, k LIMIT 3 OFFSET 4000');
SELECT top_of('SELECT k, sum(l) FROM agg_top GROUP BY k ORDER BY 2, k LIMIT 16384');
SELECT top_of('SELECT k, sum(l) FROM agg_top GROUP BY k ORDER BY 2, k LIMIT 16384 OFFSET 1');
SELECT top_of('SELECT k, sum(l) FROM agg_top GROUP BY k ORDER BY 2, k LIMIT 9223372036854775807 OFFSET 9223372036854775807');
SELECT top_of('SELECT k, sum(l) FROM agg_top GROUP BY k ORDER BY 2, k OFFSET 3010');
SELECT top_of('SELECT k, sum(l) FROM agg_top GROUP BY k ORDER BY 2, k LIMIT NULL OFFSET 3010');
SELECT top_of('SELECT k, sum(l) FROM agg_top GROUP BY k ORDER BY 2, k LIMIT 4 OFFSET NULL');
SELECT top_of('SELECT k, sum(l) FROM agg_top GROUP BY k ORDER BY 2, k LIMIT 1 + 2');
-- operators, domains, constants, keys that others determine, joins, subqueries, INSERT
SELECT top_of('SELECT k, sum(l) FROM agg_top GROUP BY k ORDER BY 2 USING >, k USING < LIMIT 4');
SELECT top_of('SELECT w, count(*) FROM agg_top GROUP BY w ORDER BY w DESC NULLS LAST LIMIT 4');
SELECT top_of('SELECT 1 AS one, k, NULL::text AS nothing, sum(i) FROM agg_top GROUP BY one, k ORDER BY one, sum(i), k LIMIT 4');
SELECT top_of('SELECT k FROM agg_top WHERE k = 17 GROUP BY k ORDER BY k LIMIT 4');
SELECT top_of('SELECT a.k, b.g, sum(a.n), count(*) FROM agg_top a JOIN agg_top b ON a.id = b.id GROUP BY a.k, b.g ORDER BY sum(a.n) DESC, a.k LIMIT 6');
SELECT top_of('SELECT a.k, sum(b.n) FROM agg_top a JOIN (SELECT k, sum(n) AS n FROM agg_top GROUP BY k ORDER BY 2 DESC, k LIMIT 9) b ON a.k = b.k GROUP BY a.k ORDER BY a.k');
SELECT top_of('SELECT v.x, q.* FROM (VALUES (100), (2000), (9000)) v (x), LATERAL (SELECT k, sum(i) FROM agg_top WHERE id > v.x GROUP BY k ORDER BY 2 DESC NULLS LAST, k LIMIT 2) q ORDER BY 1, 3 DESC');
SELECT v.x, q.* FROM generate_series(1, 3) v (x) LEFT JOIN LATERAL (SELECT k, sum(i) FROM agg_top GROUP BY k ORDER BY 2 DESC NULLS LAST, k LIMIT 2) q ON q.k > v.x * 500 ORDER BY 1, 3 DESC;
CREATE TABLE agg_top_copy AS SELECT k, sum(n) AS s FROM agg_top GROUP BY k ORDER BY s DESC NULLS LAST, k LIMIT 3;
TABLE agg_top_copy;
-- limits that come with the execution; cursors
PREPARE first_ones (int) AS SELECT k, sum(n) FROM agg_top GROUP BY k ORDER BY 2 DESC NULLS LAST, k LIMIT $1;
SET plan_cache_mode = force_generic_plan;
SELECT explain('EXECUTE first_ones (3)');
EXECUTE first_ones (3);
SET plan_cache_mode = force_custom_plan;
SELECT explain('EXECUTE first_ones (3)');
EXECUTE first_ones (3);
EXECUTE first_ones (2);
RESET plan_cache_mode;
BEGIN;
DECLARE few SCROLL CURSOR FOR SELECT k, sum(n) FROM agg_top GROUP BY k ORDER BY 2 DESC NULLS LAST, k LIMIT 5;
FETCH 3 FROM few;
FETCH BACKWARD 2 FROM few;
FETCH ALL FROM few;
MOVE FIRST FROM few;
FETCH 2 FROM few;
COMMIT;
-- where all groups are looked at above the node, or their order is not that of what is stored
SELECT top_of(query) FROM (VALUES
	('SELECT k, sum(n) FROM agg_top GROUP BY k HAVING sum(n) < 10 ORDER BY 2 DESC, k LIMIT 3'),
	('SELECT k, sum(n) FROM agg_top GROUP BY k HAVING k < 10 ORDER BY 2 DESC, k LIMIT 3'),
	('SELECT k, sum(n) FROM agg_top GROUP BY k ORDER BY 2 DESC, k'),
	('SELECT k, sum(n) FROM agg_top GROUP BY k ORDER BY sum(n) + 1 DESC, k LIMIT 3'),
	('SELECT k, sum(n) FROM agg_top GROUP BY k ORDER BY 2 DESC, k % 7, k LIMIT 3'),
	('SELECT k, sum(n) / 2 AS half FROM agg_top GROUP BY k ORDER BY sum(n) DESC, k LIMIT 3'),
	('SELECT DISTINCT sum(n) FROM agg_top GROUP BY k ORDER BY 1 DESC LIMIT 3'),
	('SELECT DISTINCT ON (count(*)) count(*), sum(n) FROM agg_top GROUP BY k ORDER BY 1 DESC, 2 LIMIT 3'),
	('SELECT k, sum(n), row_number() OVER (ORDER BY k) FROM agg_top GROUP BY k ORDER BY 2 DESC, k LIMIT 3'),
	('SELECT k, sum(n), generate_series(1, 2) FROM agg_top GROUP BY k ORDER BY 2 DESC, k, 3 LIMIT 3'),
	('SELECT k, (SELECT max(k) FROM agg_top b WHERE b.id = agg_top.k) FROM agg_top WHERE k < 100 GROUP BY k ORDER BY k LIMIT 3'),
	('SELECT k, sum(f) FROM agg_top GROUP BY k ORDER BY 2 DESC, k LIMIT 3'),
	('SELECT k, avg(n) FROM agg_top GROUP BY k ORDER BY 2 DESC, k LIMIT 3'),
	('SELECT t, count(*) FROM agg_top GROUP BY t ORDER BY t COLLATE "C" LIMIT 3'),
	('SELECT e, k, count(*) FROM agg_top GROUP BY e, k ORDER BY e, k LIMIT 3'),
	('SELECT b, bool_or(k > 3) FROM agg_top GROUP BY b ORDER BY 2, b LIMIT 3'),
	('SELECT k, bit_xor(i) FROM agg_top GROUP BY k ORDER BY 2, k LIMIT 3'),
	('SELECT count(*), max(k) FROM agg_top ORDER BY 1 LIMIT 3'),
	('(SELECT k, count(*) FROM agg_top GROUP BY k) UNION ALL (SELECT g, count(*) FROM agg_top GROUP BY g) ORDER BY 2 DESC, 1 LIMIT 3')) q (query);
SET gpudb.force = off;
SELECT top_of('SELECT k, g, count(*) FROM agg_top GROUP BY GROUPING SETS ((k), (g)) ORDER BY 3 DESC, 1, 2 LIMIT 3');
SET gpudb.force = on;
-- what a group that is left out would raise is raised
SELECT k, count(*) FROM agg_top WHERE k < 4000 GROUP BY k ORDER BY count(*) DESC, 1 / (k - 2) LIMIT 2;
SELECT k, 1 / (k - 17) FROM agg_top GROUP BY k ORDER BY k LIMIT 2;
INSERT INTO agg_top (id, k, f) VALUES (40001, 6001, 1e308), (40002, 6001, 1e308);
SELECT k, count(*), sum(f) FROM agg_top WHERE k < 4000 OR k = 6001 GROUP BY k ORDER BY count(*) DESC, k LIMIT 2;
SELECT top_of('SELECT k, count(*), sum(f) FROM agg_top WHERE k < 4000 GROUP BY k ORDER BY count(*) DESC, k LIMIT 2');
-- values that only PostgreSQL can choose, of a group that would be left out
INSERT INTO agg_top (id, k, f, u) VALUES (40003, 6002, 0, 1.5), (40004, 6002, '-0', 1.50);
SELECT k, count(*), min(f) FROM agg_top WHERE k < 100 OR k = 6002 GROUP BY k ORDER BY count(*) DESC, k LIMIT 2;
SELECT top_of('SELECT k, count(*), min(f) FROM agg_top WHERE k < 100 OR k = 6002 GROUP BY k ORDER BY count(*) DESC, k LIMIT 2');
SELECT k, count(*), max(u) FROM agg_top WHERE k < 100 OR k = 6002 GROUP BY k ORDER BY count(*) DESC, k LIMIT 2;
-- numerics of other scales than were assumed, which begin anew
SELECT top_of('SELECT k, sum(u / 3), max(u) FROM agg_top WHERE k < 4000 GROUP BY k ORDER BY 2 DESC, k LIMIT 3');
-- groups that tie in the first sort columns, up to four of which the node looks at; NULLs beside the least and the greatest values
CREATE TABLE agg_top_ties AS
SELECT (ARRAY[NULL, '-32768', '0', '32767'])[i % 4 + 1]::int2 AS s, (ARRAY['00000000-0000-0000-0000-000000000000', NULL, 'ffffffff-ffff-ffff-ffff-ffffffffffff'])[i / 4 % 3 + 1]::uuid AS x,
	(ARRAY['-infinity', 'NaN', NULL, '0', 'infinity'])[i / 12 % 5 + 1]::float8 AS f, (ARRAY['-infinity', NULL, 'infinity', '2001-01-01'])[i / 60 % 4 + 1]::date AS d,
	(ARRAY[-9223372036854775808, 9223372036854775807, NULL, 0])[i / 240 % 4 + 1]::int8 AS l, (ARRAY[99999999.99, NULL, -99999999.99])[i * 7 % 3 + 1]::numeric(10,2) AS n
FROM generate_series(0, 1900) i;
ANALYZE agg_top_ties;
SELECT left_out, count(*), min(columns COLLATE "C") AS an_example FROM (
	SELECT regexp_replace(top, '.*, (\d+ left)', '\1') AS left_out, substring(top FROM '(.*), \d+ left') AS columns FROM (
		SELECT top_of(format('SELECT s, x, f, d, l, sum(n) AS n, count(*) AS c FROM agg_top_ties GROUP BY s, x, f, d, l ORDER BY %s%s, %s%s, %s LIMIT 25', one, o, two, p, rest)) AS top
		FROM unnest('{s,x,f,d,n,c}'::text[]) one, unnest('{x,l,n}'::text[]) two, unnest('{""," DESC"," NULLS FIRST"," DESC NULLS LAST"}'::text[]) o,
			unnest('{""," DESC"," NULLS FIRST"," DESC NULLS LAST"}'::text[]) p, unnest('{"d DESC NULLS LAST, f, s, x, l","f NULLS FIRST, s, d, l DESC, x"}'::text[]) rest) q) q
GROUP BY left_out ORDER BY left_out;
SELECT top_of('SELECT s, x, f, d, l FROM agg_top_ties GROUP BY s, x, f, d, l ORDER BY s, x DESC, f, d NULLS FIRST, l LIMIT 5');
DROP TABLE agg_top_ties;
DROP FUNCTION top_of;
DROP TABLE agg_top, agg_top_copy;
DROP DOMAIN agg_top_number;
DROP TYPE agg_top_mood;
