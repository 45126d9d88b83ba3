-- uuid, oid, "char" and name.
CREATE TABLE types_ids (id int NOT NULL, k int, u uuid, o oid, c "char", n name, u2 uuid, o2 oid, c2 "char", n2 name, t text);
INSERT INTO types_ids
SELECT i, i % 5, md5((nullif(i % 700, 3))::text)::uuid, nullif(i * 997 % 4294967, 7) * 1000::int8, chr(nullif(i * 7 % 127, 20) + 1)::"char", 'name' || nullif(i % 400, 9),
	('00000000-0000-0000-0000-0000000000' || lpad(to_hex(i % 256), 2, '0'))::uuid, 2147483640::int8 + i % 20, 'b', ('name' || i % 77)::name, 'name' || i % 300
FROM generate_series(1, 9000) i;
-- the ends; bytes above 127 come after the letters
INSERT INTO types_ids VALUES
	(9001, 9, '00000000-0000-0000-0000-000000000000', 0, '', '', 'ffffffff-ffff-ffff-ffff-ffffffffffff', 4294967295, '\377', repeat('x', 63), ''),
	(9002, 9, 'ffffffff-ffff-ffff-ffff-ffffffffffff', 4294967295, '\377', repeat('x', 63), '00000000-0000-0000-0000-000000000000', 0, '', '', repeat('x', 63)),
	(9003, 9, '7fffffff-ffff-ffff-ffff-ffffffffffff', 2147483647, '\177', 'größe', '80000000-0000-0000-0000-000000000000', 2147483648, '\200', 'Größe', 'größe'),
	(9004, 9, '80000000-0000-0000-7fff-ffffffffffff', 2147483648, '\200', 'Größe', '80000000-0000-0000-8000-000000000000', 2147483649, '\201', 'größe', repeat('x', 70)),
	(9005, 10, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), (9006, 10, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE types_ids_empty (LIKE types_ids);
ANALYZE types_ids, types_ids_empty;
SET gpudb.force = on;
SET gpudb.debug_require = require;
\pset format unaligned
\pset tuples_only on
SELECT format('SELECT count(*), sum(id) FROM types_ids WHERE %s', condition)
FROM unnest(ARRAY[
	$$u = 'ffffffff-ffff-ffff-ffff-ffffffffffff'$$, $$u = '{FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF}'$$, $$u <> '00000000-0000-0000-0000-000000000000'$$, $$u < '80000000-0000-0000-0000-000000000000'$$, $$u <= '7fffffff-ffff-ffff-ffff-ffffffffffff'$$,
	$$u > '80000000-0000-0000-7fff-ffffffffffff'$$, $$u >= '80000000-0000-0000-7fff-ffffffffffff'$$, $$u < u2$$, $$u >= u2$$, $$u = u2$$, $$u <> u2$$, $$u IS NULL$$, $$u IS DISTINCT FROM u2$$, $$u2 = '00000000-0000-0000-0000-000000000080'$$,
	$$u2 > '80000000-0000-0000-7fff-ffffffffffff'$$, $$u2 < '00000000-0000-0000-0000-000000000081' AND u2 > '00000000-0000-0000-0000-00000000007f'$$, $$u2 IN ('00000000-0000-0000-0000-000000000001', 'ffffffff-ffff-ffff-ffff-ffffffffffff')$$,
	$$u2 NOT IN ('00000000-0000-0000-0000-000000000001', 'ffffffff-ffff-ffff-ffff-ffffffffffff', '80000000-0000-0000-8000-000000000000')$$, $$u = md5('44')::uuid$$, $$u BETWEEN '10000000-0000-0000-0000-000000000000' AND '90000000-0000-0000-0000-000000000000'$$,
	$$o = 0$$, $$o = 4294967295$$, $$o = 2147483648$$, $$o <> 4294967295$$, $$o < 2147483648$$, $$o <= 2147483648$$, $$o > 2147483647$$, $$o >= 4294967295$$, $$o < o2$$, $$o >= o2$$, $$o = o2$$, $$o2 > 2147483647$$, $$o2 < 2147483648$$,
	$$o2 IN (2147483640, 2147483648, 4294967295)$$, $$o2 NOT IN (2147483640, 2147483648, 4294967295, 5)$$, $$o IS NULL$$, $$o2 BETWEEN 2147483646 AND 2147483650$$, $$o IS NOT DISTINCT FROM 4294967295$$,
	$$c = 'a'$$, $$c = ''$$, $$c = '\377'$$, $$c <> 'a'$$, $$c < 'b'$$, $$c <= ''$$, $$c > 'z'$$, $$c >= '\177'$$, $$c > '\177'$$, $$c < c2$$, $$c >= c2$$, $$c = c2$$, $$c <> c2$$, $$c IN ('a', 'b', '\200')$$, $$c NOT IN ('a', 'b', '\200')$$, $$c IS NULL$$, $$c2 BETWEEN '\200' AND '\377'$$, $$c2 < '\201' AND c2 > 'b'$$,
	$$n = 'name44'$$, $$n = ''$$, $$n <> 'name44'$$, $$n < 'name2'$$, $$n <= 'name2'$$, $$n > 'name90'$$, $$n >= 'name90'$$, $$n = n2$$, $$n < n2$$, $$n >= n2$$, $$n <> n2$$, $$n = 'größe'$$, $$n > 'größe'$$, $$n IN ('name1', 'name2', 'größe')$$, $$n NOT IN ('name1', 'name2', 'größe')$$, $$n IS NULL$$,
	$$n = t$$, $$t = n$$, $$n <> t$$, $$n < t$$, $$t <= n$$, $$n = 'name44'::text$$, $$n < 'name2'::text$$, $$'name90'::text < n$$, $$n = repeat('x', 63)$$, $$t > n2 COLLATE "C"$$, $$length(n::text) = 63$$
]) condition
\gexec
\pset format aligned
\pset tuples_only off
SELECT c2, c2::"char" = 'b' AS b, count(*), min(id) FROM types_ids GROUP BY c2 ORDER BY c2;
SELECT o2, count(*), min(id) FROM types_ids GROUP BY o2 ORDER BY o2;
SELECT u2, count(*), min(o), max(o) FROM types_ids WHERE u2 < '00000000-0000-0000-0000-000000000003' OR u2 > '00000000-0000-0000-0000-0000000000fe' OR u2 IS NULL GROUP BY u2 ORDER BY u2;
SELECT n2, count(*), max(o2) FROM types_ids WHERE n2 < 'name11' OR n2 > 'name75' OR n2 IS NULL GROUP BY n2 ORDER BY n2;
SELECT count(*) FROM (SELECT u, o, c, n FROM types_ids GROUP BY u, o, c, n) s;
SELECT min(o), max(o), min(o2), max(o2), count(u), count(o), count(c), count(n) FROM types_ids;
SELECT k, min(o), max(o), min(o2), max(o2) FROM types_ids GROUP BY k ORDER BY k;
SELECT min(o) FILTER (WHERE o > 2147483648), max(o) FILTER (WHERE c = 'zz'::"char"), max(o2) FILTER (WHERE n = 'name5') FROM types_ids;
SELECT min(o), max(o), count(*) FROM types_ids_empty;
SELECT u, o, c, n, count(*) FROM types_ids_empty GROUP BY u, o, c, n;
SELECT * FROM types_ids_empty WHERE u > '80000000-0000-0000-0000-000000000000' OR c = 'a' OR n < 'x';
SELECT CASE WHEN k = 9 THEN c END AS c, COALESCE(n2, 'none') AS n, GREATEST(u, u2) AS u, LEAST(o, o2) AS o, count(*) FROM types_ids WHERE k >= 9 GROUP BY 1, 2, 3, 4 ORDER BY 1, 2;
SELECT id, u, o, c, n FROM types_ids WHERE c > '\176' AND u >= '7fffffff-ffff-ffff-ffff-ffffffffffff' ORDER BY id;
-- what has no order or no aggregate of its own in PostgreSQL, or is computed there
SELECT min(u) FROM types_ids;
SET gpudb.debug_require = allow;
SELECT count(*) FROM types_ids WHERE n || 'x' = 'name44x' OR o::int8 > 4294967290 OR u::text LIKE 'ffff%';
SELECT count(*) FROM types_ids WHERE n LIKE 'name1%' AND n NOT LIKE '%9';
SELECT min(n2::text COLLATE "C"), max(n::text COLLATE "C") FROM types_ids WHERE k < 9;
DROP TABLE types_ids, types_ids_empty;
