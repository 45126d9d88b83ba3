-- Texts of 16 bytes and fewer are grouped, and their extremes found, as integers; longer ones whole.
CREATE TABLE agg_text_wide (id int NOT NULL, k int, s text COLLATE "C", late text COLLATE "C", long text COLLATE "C", v varchar(30) COLLATE "C", c char(12) COLLATE "C", n name);
INSERT INTO agg_text_wide
SELECT i, i % 5, CASE WHEN i % 18 < 17 THEN left(repeat(chr(97 + i % 3), 15) || i % 10, i % 18) END, CASE WHEN i < 19990 THEN 'late ' || i % 100 ELSE repeat('z', i - 19975) END,
	'a text that is too long by far: ' || i % 30, (ARRAY['', 'ä', 'größe', '日本語日本', '日本語日本語', 'sixteen bytes ok', 'sixteen bytes no', 'ÿ', ' ', ' a', 'a ', E'\u0001', NULL])[i % 13 + 1],
	(ARRAY['', 'a', 'a  b', 'größe', NULL, '日本'])[i % 6 + 1], 'name ' || i % 7
FROM generate_series(1, 20000) i;
ANALYZE agg_text_wide;
SET gpudb.force = on;
SET gpudb.debug_require = require;
\pset null '(null)'
\pset format unaligned
SELECT s, length(s), count(*), min(id), max(id) FROM agg_text_wide GROUP BY s ORDER BY s;
SELECT v, octet_length(v), count(*), min(id) FROM agg_text_wide GROUP BY v ORDER BY v;
SELECT c, octet_length(c), n, count(*), min(id) FROM agg_text_wide GROUP BY c, n ORDER BY c, n LIMIT 20;
SELECT min(s), max(s), min(v), max(v), min(c), max(c), octet_length(max(c)), min(late) FROM agg_text_wide WHERE id < 19990;
SELECT k, min(s), max(s), min(v), max(v), min(c), max(c) FROM agg_text_wide GROUP BY k ORDER BY k;
-- what differs only beyond the 16th byte, or in length
SELECT count(*), count(DISTINCT g), min(length(g)), max(length(g)) FROM (SELECT substring(long, 1, 14 + k) AS g FROM agg_text_wide GROUP BY 1 OFFSET 0) q;
SELECT CASE WHEN k < 2 THEN 'sixteen bytes ok' WHEN k < 4 THEN 'sixteen bytes ok1' ELSE 'sixteen bytes ok2' END AS g, count(*) FROM agg_text_wide GROUP BY 1 ORDER BY 1;
-- the last rows are longer: from the first row on again
SELECT late, count(*), sum(id) FROM agg_text_wide WHERE id > 19900 GROUP BY late ORDER BY late LIMIT 12;
SELECT count(*), sum(c), md5(string_agg(late || c, '' ORDER BY late)) FROM (SELECT late, count(*) AS c FROM agg_text_wide GROUP BY late OFFSET 0) q;
SELECT min(late), length(max(late)), max(s) FROM agg_text_wide;
SELECT k, length(max(late)), min(late) FROM agg_text_wide GROUP BY k ORDER BY k;
-- rows that a filter, a CASE or a FILTER leaves out may be as long as they like
SELECT late, count(*) FROM agg_text_wide WHERE id > 19985 AND length(late) <= 16 GROUP BY late ORDER BY late;
SELECT max(late) FILTER (WHERE id < 19990), max(CASE WHEN id < 19990 THEN late ELSE 'none' END) FROM agg_text_wide;
SELECT CASE WHEN length(late) <= 16 THEN late ELSE 'long' END AS g, count(*) FROM agg_text_wide WHERE id > 19985 GROUP BY 1 ORDER BY 1;
-- long ones, and parts of them
SELECT long, count(*), min(s) FROM agg_text_wide GROUP BY long ORDER BY long LIMIT 5;
SELECT substring(long, 1, 16) AS g, count(*) FROM agg_text_wide GROUP BY 1;
SELECT substring(long, 33) AS g, count(*) FROM agg_text_wide GROUP BY 1 ORDER BY 1 LIMIT 5;
SELECT min(long), max(long), max(s), min(n COLLATE "C") FROM agg_text_wide;
-- without statistics nothing is known of lengths
CREATE TABLE agg_text_wide_new AS SELECT id, repeat('y', 10 + id % 8) COLLATE "C" AS t FROM agg_text_wide;
SELECT length(t), t, count(*) FROM agg_text_wide_new GROUP BY t ORDER BY t;
SELECT min(t), max(t) FROM agg_text_wide_new;
-- in resumed runs, prepared, and again with other rows
SET gpudb.debug_yield = 13;
SELECT k, min(v), max(s), count(*) FROM agg_text_wide WHERE id < 2000 GROUP BY k ORDER BY k;
SELECT late, count(*) FROM agg_text_wide WHERE id > 19990 GROUP BY late ORDER BY late LIMIT 3;
RESET gpudb.debug_yield;
PREPARE late AS SELECT length(max(late)), max(late) < 'y', count(*) FROM agg_text_wide WHERE id > $1 AND id < $2;
EXECUTE late(0, 1000);
EXECUTE late(19000, 30000);
EXECUTE late(0, 1000);
RESET gpudb.debug_require;
RESET gpudb.force;
DROP TABLE agg_text_wide, agg_text_wide_new;
