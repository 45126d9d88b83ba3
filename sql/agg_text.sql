-- min and max of texts under C: states that grow and shrink, long and TOASTed texts, blanks of char(n).
CREATE TABLE agg_text (id int NOT NULL, k int, t text COLLATE "C", v varchar(20) COLLATE "C", v1 varchar(1) COLLATE "C", c char(8) COLLATE "C", c1 char(1) COLLATE "C", rise text COLLATE "C", fall text COLLATE "C", e text COLLATE "en-x-icu");
INSERT INTO agg_text
SELECT i, i % 6, (ARRAY['b', 'a', '', 'größe', '日本語', 'abcdefgh', 'abcdefghi', ' ', NULL, 'Z', E'\u0001', '😀'])[i % 12 + 1], nullif('v' || i * 7919 % 1000, 'v999'), (ARRAY['b', '', 'a', 'é', NULL, '日'])[i % 6 + 1],
	(ARRAY['b', '', 'a', 'größe', NULL, E'a\t', 'abcdefgh', '日本'])[i % 8 + 1], (ARRAY['b', '', 'N', 'é', NULL, E'\t'])[i % 6 + 1], lpad(i::text, 6, '0') || repeat('x', i % 300), lpad((20000 - i)::text, 6, '0') || repeat('y', i % 200), chr(97 + i % 5)
FROM generate_series(1, 12000) i;
INSERT INTO agg_text (id, k, t) VALUES (12001, 10, NULL), (12002, 10, NULL), (12003, 11, ''), (12004, 12, 'one');
CREATE TABLE agg_text_long (id int NOT NULL, k int, t text COLLATE "C", x text COLLATE "C", z text COLLATE "C");
ALTER TABLE agg_text_long ALTER COLUMN x SET STORAGE EXTERNAL;
-- each text is longer than the one before; texts that are equal up to their ends; compressed and out of line
INSERT INTO agg_text_long SELECT i, i % 4, repeat('a', i * 13), repeat('x', 5000) || lpad(i::text, 5, '0'), repeat('zy', 4000 - i) FROM generate_series(1, 700) i;
INSERT INTO agg_text_long SELECT i, 7, nullif((SELECT string_agg(md5((i * j)::text), '') FROM generate_series(1, 400) j), ''), repeat('w', i * 10), '' FROM generate_series(701, 760) i;
INSERT INTO agg_text_long (id, k) VALUES (761, 8), (762, 8);
CREATE TABLE agg_text_empty (LIKE agg_text);
ANALYZE agg_text, agg_text_long, agg_text_empty;
SET gpudb.force = on;
SET gpudb.debug_require = require;
\pset null '(null)'
\pset format unaligned
SELECT min(t), max(t), min(v), max(v), min(v1), max(v1), min(c), max(c), min(c1), max(c1) FROM agg_text;
SELECT octet_length(min(c)), octet_length(max(c)), octet_length(min(c1)), octet_length(min(t)), octet_length(max(v1)) FROM agg_text;
SELECT k, min(t), max(t), min(v), max(v), min(v1), max(v1), min(c), max(c), min(c1), max(c1) FROM agg_text GROUP BY k ORDER BY k;
SELECT left(min(rise), 8), length(min(rise)), left(max(rise), 8), length(max(rise)), left(min(fall), 8), length(min(fall)), left(max(fall), 8), length(max(fall)) FROM agg_text;
SELECT k, left(min(rise), 8), length(min(rise)), left(max(rise), 8), length(max(rise)), left(min(fall), 8), length(min(fall)), left(max(fall), 8), length(max(fall)) FROM agg_text GROUP BY k ORDER BY k;
-- many groups whose states grow
SELECT count(*), md5(string_agg(g || lo || hi || flo || fhi, '' ORDER BY g)) FROM (SELECT id % 1000 AS g, min(rise) AS lo, max(rise) AS hi, min(fall) AS flo, max(fall) AS fhi FROM agg_text WHERE id <= 12000 GROUP BY 1 OFFSET 0) s;
SELECT count(*), md5(string_agg(v || m, '' ORDER BY v)) FROM (SELECT v, max(rise) AS m FROM agg_text WHERE v IS NOT NULL GROUP BY v OFFSET 0) s;
SELECT v1, min(c), max(v), min(rise) = max(rise) AS same FROM agg_text GROUP BY v1 ORDER BY v1;
SELECT min(t) FILTER (WHERE t > 'a'), max(t) FILTER (WHERE t < 'b'), max(v) FILTER (WHERE k = 3), min(v) FILTER (WHERE k = 10), min(c) FILTER (WHERE c > 'a'), max(c1) FILTER (WHERE false), max(t) FILTER (WHERE k = 11) FROM agg_text;
SELECT min(left(t, 2)), max(substring(v, 2, 2)), max(CASE WHEN k = 1 THEN t ELSE 'none' END), min(COALESCE(t, 'none')), max(GREATEST(t, v::text)), min(NULLIF(t, '')), max(c::text), min(c::text), max(v1::text), max('const'::text COLLATE "C"), min(e COLLATE "C") FROM agg_text;
SELECT k, max(left(t, 1)), min(NULLIF(v1, '')), count(t), sum(length(t)) FROM agg_text GROUP BY k HAVING max(t) > 'a' OR max(t) IS NULL ORDER BY k;
-- long ones
SELECT length(min(t)), md5(min(t)), length(max(t)), md5(max(t)), length(min(x)), right(min(x), 5), length(max(x)), right(max(x), 5), length(min(z)), length(max(z)) FROM agg_text_long;
SET work_mem = '64MB';
SELECT k, length(min(t)), md5(min(t)), length(max(t)), md5(max(t)), length(min(x)), right(min(x), 5), length(max(x)), right(max(x), 5), length(min(z)), length(max(z)) FROM agg_text_long GROUP BY k ORDER BY k;
RESET work_mem;
-- growing states may be more than groups have memory for
SET gpudb.debug_require = allow;
SET work_mem = '64kB';
SET gpudb.join_memory = 1;
SELECT k, length(min(t)), md5(min(t)), length(max(t)), md5(max(t)), length(min(x)), right(min(x), 5), length(max(x)), right(max(x), 5), length(min(z)), length(max(z)) FROM agg_text_long GROUP BY k ORDER BY k;
RESET work_mem;
RESET gpudb.join_memory;
SET gpudb.debug_require = require;
SELECT length(max(t) FILTER (WHERE k = 1)), length(min(x) FILTER (WHERE x > repeat('x', 5000) || '00500')), right(min(x) FILTER (WHERE x > repeat('x', 5000) || '00500'), 5) FROM agg_text_long;
SELECT id, md5(max(t)), md5(min(x)), length(max(z)) FROM agg_text_long WHERE id IN (1, 350, 700, 701, 760, 761) GROUP BY id ORDER BY id;
-- no rows
SELECT min(t), max(v), min(c), max(c1) FROM agg_text_empty;
SELECT k, min(t), max(v1) FROM agg_text_empty GROUP BY k;
SELECT min(t), max(t), min(v1), max(c1), min(c) FROM agg_text WHERE k = 10;
-- a minimum in a subquery, a join and a CTE
SELECT a.k, a.m, a.v FROM (SELECT k, max(t) AS m, min(v) AS v FROM agg_text GROUP BY k) a JOIN (SELECT max(t) AS m FROM agg_text) b ON a.m = b.m ORDER BY a.k;
-- in resumed runs
SET gpudb.debug_yield = 13;
SELECT k, min(t), max(t), min(v), max(c), length(max(rise)), length(min(fall)) FROM agg_text WHERE id <= 2000 GROUP BY k ORDER BY k;
SELECT min(t), max(t), length(max(rise)), length(min(fall)) FROM agg_text WHERE id <= 2000;
RESET gpudb.debug_yield;
-- char(n) without a length, other collations, other types, DISTINCT and ORDER BY
SET gpudb.debug_require = allow;
SELECT min(c::bpchar), max(CASE WHEN k = 1 THEN c ELSE 'b    '::bpchar END) FROM agg_text;
SELECT max(t COLLATE "en-x-icu"), min(t COLLATE "en-x-icu"), max(e) FROM agg_text;
SELECT max(DISTINCT t), min(v ORDER BY id), string_agg(DISTINCT v1, ',' ORDER BY v1) FROM agg_text;
SELECT max(t || 'x'), min(upper(t)), max(array[t]) FROM agg_text;
SELECT gpu_nodes('SELECT max(t COLLATE "en-x-icu") FROM agg_text') LIKE '%GpuAgg%' AS l, gpu_nodes('SELECT max(upper(t)) FROM agg_text') LIKE '%GpuAgg%' AS u, gpu_nodes('SELECT max(t || ''x'') FROM agg_text') LIKE '%GpuAgg%' AS c;
DROP TABLE agg_text, agg_text_long, agg_text_empty;
