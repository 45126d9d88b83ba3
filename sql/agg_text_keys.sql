-- Texts of any length as group keys.
CREATE TABLE agg_text_keys (id int NOT NULL, k int, t text, u varchar(60), c char(40), late text, large text, huge text);
ALTER TABLE agg_text_keys ALTER large SET STORAGE PLAIN, ALTER huge SET STORAGE PLAIN;
INSERT INTO agg_text_keys (id, k, t, u, c, late)
SELECT i, i % 5,
	CASE WHEN i % 13 > 0 THEN 'the same at the beginning of each, ' || i % 7 || repeat('x', i % 4) END,
	(ARRAY['', 'größe und länge in zeichen, nicht in bytes', '日本語の長いテキスト', 'no more than sixteen', 'no more than sixteeN', NULL])[i % 6 + 1],
	(ARRAY['padded with blanks to forty', 'padded with blanks to fort', NULL])[i % 3 + 1],
	'one of as many as there are rows: ' || i
FROM generate_series(1, 30000) i;
VACUUM ANALYZE agg_text_keys;
SET gpudb.force = on;
SET gpudb.debug_require = require;
SET work_mem = '64MB';
\pset null '(null)'
\pset format unaligned
SELECT t, count(*), min(id), max(id) FROM agg_text_keys GROUP BY t ORDER BY t LIMIT 12;
SELECT u, octet_length(u), count(*), sum(k) FROM agg_text_keys GROUP BY u ORDER BY u COLLATE "C";
SELECT c, octet_length(c), count(*) FROM agg_text_keys GROUP BY c ORDER BY c;
SELECT k, u, c, count(*), avg(id) FROM agg_text_keys WHERE k < 2 GROUP BY k, u, c ORDER BY k, u COLLATE "C", c LIMIT 15;
-- a table that grows, in groups and in bytes
SELECT count(*), sum(n), sum(length(late)), md5(string_agg(late || n, '' ORDER BY late COLLATE "C")) FROM (SELECT late, count(*) AS n FROM agg_text_keys GROUP BY late OFFSET 0) q;
SELECT count(*), sum(n), md5(string_agg(a || b || n, '' ORDER BY a COLLATE "C", b)) FROM (SELECT late AS a, substring(late, 20) AS b, count(*) AS n FROM agg_text_keys WHERE id > 10000 GROUP BY 1, 2 OFFSET 0) q;
-- parts, constants, and what differs at its end or in its length only
SELECT substring(t, 1, 36), count(*) FROM agg_text_keys GROUP BY 1 ORDER BY 1;
SELECT substring(t, 20), count(*) FROM agg_text_keys WHERE t LIKE '%xx%' GROUP BY 1 ORDER BY 1;
SELECT CASE WHEN k = 1 THEN 'no more than sixteen' WHEN k < 4 THEN u ELSE 'not a text of the table' END AS g, count(*) FROM agg_text_keys GROUP BY 1 ORDER BY 1;
SELECT COALESCE(u, 'nothing at all, in many words') AS g, count(*) FROM agg_text_keys GROUP BY 1 ORDER BY 1;
SELECT 'a constant of more than sixteen bytes' AS g, t, count(*) FROM agg_text_keys GROUP BY 1, 2 ORDER BY 2 LIMIT 2;
-- no rows, and rows that are left out
SELECT t, count(*) FROM agg_text_keys WHERE id < 0 GROUP BY t;
SELECT u, count(*) FILTER (WHERE k = 1), sum(id) FILTER (WHERE k = 9) FROM agg_text_keys WHERE id % 2 = 1 GROUP BY u ORDER BY u COLLATE "C";
SELECT t, count(*) FROM agg_text_keys GROUP BY t HAVING count(*) > 1000 ORDER BY t LIMIT 3;
-- texts of thousands of bytes
INSERT INTO agg_text_keys (id, k, large) SELECT 40000 + i, i % 5, repeat(chr(97 + i % 26), 3000 + i % 100) FROM generate_series(1, 2000) i;
SELECT count(*), sum(n), sum(l), md5(string_agg(large || n, '' ORDER BY large COLLATE "C")) FROM (SELECT large, length(large) AS l, count(*) AS n FROM agg_text_keys WHERE id > 40000 GROUP BY large OFFSET 0) q;
-- and a group so large that no device keeps it in one piece
INSERT INTO agg_text_keys (id, huge) SELECT 50000 + i, repeat('h', 7900) || i % 3 FROM generate_series(1, 9) i;
SELECT n, md5(concat(a, b, c, d, e, f, g, h, i)) FROM (SELECT huge a, substring(huge, 2) b, substring(huge, 3) c, substring(huge, 4) d, substring(huge, 5) e, substring(huge, 6) f, substring(huge, 7) g, substring(huge, 8) h, substring(huge, 9) i, count(*) n FROM agg_text_keys WHERE id > 50000 GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9 OFFSET 0) q ORDER BY 2;
-- in resumed runs, and prepared
SET gpudb.debug_yield = 11;
SELECT t, count(*) FROM agg_text_keys WHERE id < 3000 GROUP BY t ORDER BY t LIMIT 3;
RESET gpudb.debug_yield;
PREPARE by_text AS SELECT u, count(*) FROM agg_text_keys WHERE id BETWEEN $1 AND $2 GROUP BY u ORDER BY u COLLATE "C";
EXECUTE by_text(1, 10);
EXECUTE by_text(5, 20000);
EXECUTE by_text(2, 1);
RESET gpudb.debug_require;
RESET gpudb.force;
DROP TABLE agg_text_keys;
