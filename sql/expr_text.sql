-- Text: equality, sets, LIKE; varchar, char(n) and their blanks; UTF-8.
CREATE TABLE expr_text (id int NOT NULL, t text, v varchar(20), v1 varchar(1), c char(6), c1 char(1), cl char(40), n text);
INSERT INTO expr_text
SELECT i,
	CASE WHEN i % 13 <> 0 THEN (ARRAY['', ' ', 'a', 'ab', 'abc', 'abcdefg', 'abcdefgh', 'a%b', 'a_b', 'a\b', 'größe', 'Größe', '日本語', '日本', 'naïve café', 'the special packages requests', 'x  ', E'tab\there', '😀😀'])[i % 19 + 1] END,
	CASE WHEN i % 17 <> 0 THEN (ARRAY['', ' ', 'a', 'a ', 'ab', 'größe', 'seven77', 'eight888', '日本語テキスト'])[i % 9 + 1] END,
	(ARRAY['', ' ', 'a', 'é', '日', '😀', NULL])[i % 7 + 1],
	(ARRAY['', ' ', 'a', 'a  ', 'ab', 'größe', '日本', ' a', NULL])[i % 9 + 1],
	(ARRAY['', 'a', 'é', '日', '😀', 'N', NULL])[i % 7 + 1],
	(ARRAY['', 'DELIVER IN PERSON', 'deliver in person', 'größere Straße', NULL])[i % 5 + 1],
	'row number ' || i
FROM generate_series(1, 20000) i;
ANALYZE expr_text;

SET gpudb.force = on;
SET gpudb.debug_require = require;
\pset format unaligned
\pset tuples_only on
\pset null '(null)'
SELECT format('SELECT count(*), sum(id) FROM expr_text WHERE %s', condition)
FROM unnest(ARRAY[
	$$t = ''$$, $$t = ' '$$, $$t = 'a'$$, $$t = 'abcdefg'$$, $$t = 'abcdefgh'$$, $$t = 'größe'$$, $$t = '日本語'$$, $$t = '😀😀'$$, $$t = 'x'$$, $$t = 'x  '$$, $$t <> 'a'$$, $$t <> ''$$, $$'ab' = t$$,
	$$t = v$$, $$t <> v$$, $$t = NULL$$, $$n = 'row number 777'$$, $$n <> t$$,
	$$v = ''$$, $$v = 'a'$$, $$v = 'a '$$, $$v <> 'größe'$$, $$v = 'seven77'$$, $$v = 'eight888'$$, $$v = '日本語テキスト'$$,
	$$v1 = ''$$, $$v1 = ' '$$, $$v1 = 'é'$$, $$v1 = '日'$$, $$v1 = '😀'$$, $$v1 = 'ab'$$, $$v1 <> 'a'$$, $$v1 = 'a much longer text'$$,
	$$c = ''$$, $$c = '   '$$, $$c = 'a'$$, $$c = 'a     '$$, $$c = 'a          '$$, $$c = ' a'$$, $$c = 'größe'$$, $$c <> 'ab'$$, $$c = cl$$,
	$$c1 = ''$$, $$c1 = ' '$$, $$c1 = 'N'$$, $$c1 = 'N  '$$, $$c1 = 'é'$$, $$c1 = '日'$$, $$c1 = '😀'$$, $$c1 <> 'N'$$, $$c1 = 'NN'$$,
	$$cl = 'DELIVER IN PERSON'$$, $$cl <> 'DELIVER IN PERSON'$$, $$cl = 'größere Straße'$$,
	$$c::text = 'a'$$, $$c::text = 'a '$$, $$c1::text = ''$$, $$cl::text = 'DELIVER IN PERSON'$$,
	$$t IN ('a', 'ab')$$, $$t IN ('a', 'ab', 'abc', 'größe')$$, $$t NOT IN ('a', 'ab', 'abc', 'größe')$$, $$t IN ('a', NULL, 'ab')$$, $$t NOT IN ('a', NULL, 'ab')$$,
	$$v IN ('a', 'a ', 'größe', '')$$, $$c IN ('a', 'ab  ', '')$$, $$c1 IN ('N', 'é', '日')$$, $$v1 IN ('', ' ', 'é')$$, $$cl NOT IN ('', 'deliver in person', 'x')$$,
	$$t = ANY ('{a,ab,"a%b"}')$$, $$t <> ALL ('{a,ab,"a%b"}')$$, $$t = ANY ('{}')$$, $$t <> ALL ('{}')$$
]) condition
\gexec

-- LIKE
SELECT format('SELECT count(*), sum(id) FROM expr_text WHERE %s', condition)
FROM unnest(ARRAY[
	$$t LIKE ''$$, $$t LIKE '%'$$, $$t LIKE '%%'$$, $$t LIKE '_'$$, $$t LIKE '__'$$, $$t LIKE '___'$$, $$t LIKE '_%'$$, $$t LIKE '%_'$$, $$t LIKE '%__%'$$,
	$$t LIKE 'a%'$$, $$t LIKE '%b'$$, $$t LIKE '%b%'$$, $$t LIKE 'a%b%c%'$$, $$t LIKE 'a_c'$$, $$t LIKE '%special%requests%'$$, $$t NOT LIKE '%special%requests%'$$, $$t LIKE '%special%packages'$$,
	$$t LIKE 'a\%b'$$, $$t LIKE 'a\_b'$$, $$t LIKE 'a\\b'$$, $$t LIKE '%\%%'$$, $$t LIKE '\a\b'$$, $$t LIKE 'a|%b' ESCAPE '|'$$, $$t LIKE 'a%b' ESCAPE ''$$,
	$$t LIKE 'gr__e'$$, $$t LIKE 'gr_ße'$$, $$t LIKE '_röße'$$, $$t LIKE '%öße'$$, $$t LIKE '日__'$$, $$t LIKE '__語'$$, $$t LIKE '%本%'$$, $$t LIKE '😀_'$$, $$t LIKE '%é'$$, $$t LIKE 'na_ve%caf_'$$, $$t LIKE '\日%'$$,
	$$t NOT LIKE 'a%'$$, $$NOT t LIKE 'a%'$$, $$t LIKE NULL$$, $$t LIKE E'tab\t%'$$,
	$$v LIKE 'a%'$$, $$v LIKE '% '$$, $$v LIKE '日本%ト'$$, $$n LIKE '%99'$$, $$n LIKE 'row%1%2%3'$$, $$n LIKE '%r 1___'$$,
	$$t LIKE 'a%' AND v LIKE 'a%'$$, $$t LIKE 'x%' OR n LIKE '%777'$$
]) condition
\gexec
\pset format aligned
\pset tuples_only off

-- keys come back whole
SELECT t, octet_length(t), count(*) FROM expr_text GROUP BY t ORDER BY t COLLATE "C";
SELECT v, octet_length(v), count(*) FROM expr_text GROUP BY v ORDER BY v COLLATE "C";
SELECT v1, octet_length(v1), count(*) FROM expr_text GROUP BY v1 ORDER BY v1 COLLATE "C";
SELECT c, octet_length(c), count(*) FROM expr_text GROUP BY c ORDER BY c COLLATE "C";
SELECT c1, octet_length(c1), count(*) FROM expr_text GROUP BY c1 ORDER BY c1 COLLATE "C";
SELECT cl, octet_length(cl), count(*) FROM expr_text GROUP BY cl ORDER BY cl COLLATE "C";
SELECT c1, v1, c, count(*) FROM expr_text WHERE id < 3000 GROUP BY c1, v1, c ORDER BY c1 COLLATE "C", v1 COLLATE "C", c COLLATE "C" LIMIT 10;
SELECT c::text AS ct, octet_length(c::text), count(*) FROM expr_text GROUP BY c::text ORDER BY c::text COLLATE "C";
SELECT count(t), count(v), count(v1), count(c), count(c1), count(cl) FROM expr_text;

-- whole rows
SELECT id, t, v, v1, c, c1 FROM expr_text WHERE c1 = 'é' AND v = 'größe' AND id < 2000 ORDER BY id;

-- a pattern that ends in its escape
SET gpudb.debug_require = allow;
SELECT count(*) FROM expr_text WHERE n LIKE 'row\';
SELECT count(*) FROM expr_text WHERE t LIKE 'a\';
\echo :SQLSTATE
SELECT count(*) FILTER (WHERE c = c1), count(*) FILTER (WHERE c <> c1), count(*) FILTER (WHERE t = v1) FROM expr_text;
-- patterns from columns, order, functions and other operators, some of which stay with PostgreSQL
SELECT count(*) FROM expr_text WHERE t LIKE v;
SELECT count(*) FROM expr_text WHERE c LIKE 'a%';
SELECT count(*) FROM expr_text WHERE t ILIKE 'GR%';
SELECT count(*) FROM expr_text WHERE t ~ '^a';
SELECT count(*) FROM expr_text WHERE t < 'b' COLLATE "C";
SELECT min(t COLLATE "C"), max(v COLLATE "C") FROM expr_text;
SELECT count(*) FROM expr_text WHERE substring(t, 1, 1) = 'a' AND length(v) > 1 AND t || v <> 'x';

-- a collation under which other bytes are equal
CREATE COLLATION expr_text_ignore_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE expr_text_case (t text COLLATE expr_text_ignore_case);
INSERT INTO expr_text_case SELECT (ARRAY['abc', 'ABC', 'aBc', 'abd'])[i % 4 + 1] FROM generate_series(1, 1000) i;
ANALYZE expr_text_case;
SELECT count(*) FROM expr_text_case WHERE t = 'abc';
SELECT count(*) FROM expr_text_case WHERE t IN ('Abc', 'x', 'ABD');
SELECT count(*) FROM (SELECT t FROM expr_text_case GROUP BY t) s;
SELECT count(*) FROM expr_text_case WHERE t COLLATE "C" = 'abc';
DROP TABLE expr_text, expr_text_case;
DROP COLLATION expr_text_ignore_case;
