-- Order of texts under C, NOT LIKE, ILIKE, substring, left, length; blanks of char(n); characters of several bytes.
CREATE TABLE expr_text_order (id int NOT NULL, k int, t text COLLATE "C", s text COLLATE "C", v varchar(12) COLLATE "C", v1 varchar(1) COLLATE "C", c char(6) COLLATE "C", c1 char(1) COLLATE "C", c20 char(20) COLLATE "C", e text COLLATE "en-x-icu");
INSERT INTO expr_text_order
SELECT i, i % 5,
	CASE WHEN i % 13 <> 0 THEN (ARRAY['', ' ', 'a', 'A', 'ab', 'aB', 'a b', 'abc', 'abcdefg', 'abcdefgh', 'abcdefghi', 'a%b', 'a_b', 'a\b', 'größe', 'GRÖSSE', 'Größe', '日本語', '日本', 'naïve CAFÉ', E'tab\there', '😀😀', 'Z', 'z', E'\u007f', 'é', 'É'])[i % 27 + 1] END,
	CASE WHEN i % 11 <> 0 THEN (ARRAY['a', '', 'abcdefg', 'größe', '日本語', 'zz'])[i % 6 + 1] END,
	(ARRAY['', 'a', 'a ', 'ab', 'größe', 'eight888', '日本語テキスト', NULL])[i % 8 + 1], (ARRAY['', ' ', 'a', 'B', 'é', '日', '😀', NULL])[i % 8 + 1],
	(ARRAY['', ' ', 'a', 'ab', 'größe', '日本', ' a', E'a\t', E'a\tb', NULL])[i % 10 + 1], (ARRAY['', 'a', 'é', '日', '😀', 'N', E'\t', NULL])[i % 8 + 1], (ARRAY['', 'Deliver In Person', 'DELIVER', 'größer', E'\tx', NULL])[i % 6 + 1],
	(ARRAY['a', 'B', 'b', 'A', 'ä', NULL])[i % 6 + 1]
FROM generate_series(1, 10800) i;
CREATE TABLE expr_text_order_long (id int NOT NULL, t text COLLATE "C");
INSERT INTO expr_text_order_long SELECT i, repeat('long ', i * 40) || i % 3 FROM generate_series(1, 300) i;
INSERT INTO expr_text_order_long SELECT i, (SELECT string_agg(md5((i * j)::text), 'é') FROM generate_series(1, 300) j) FROM generate_series(301, 340) i;
CREATE TABLE expr_text_order_empty (LIKE expr_text_order);
ANALYZE expr_text_order, expr_text_order_long, expr_text_order_empty;
SET gpudb.force = on;
SET gpudb.debug_require = require;
\pset format unaligned
\pset tuples_only on
\pset null '(null)'
SELECT format('SELECT count(*), sum(id) FROM expr_text_order WHERE %s', condition)
FROM unnest(ARRAY[
	$$t < 'a'$$, $$t <= 'a'$$, $$t > 'a'$$, $$t >= 'a'$$, $$t < ''$$, $$t > ''$$, $$t <= ''$$, $$t < 'abcdefg'$$, $$t <= 'abcdefg'$$, $$t > 'abcdefgh'$$, $$t >= 'größe'$$, $$t > '日本'$$, $$t < '日本語'$$, $$t > '日本語日'$$, $$t BETWEEN 'a' AND 'b'$$, $$'Z' < t$$, $$t < s$$, $$t >= s$$, $$t <= v$$, $$t > v$$, $$t < NULL$$, $$t < ALL (ARRAY['b', 'c'])$$, $$t > ANY (ARRAY['b', 'z'])$$, $$t >= E'\u007f'$$, $$t < 'B' COLLATE "C"$$, $$e < 'b' COLLATE "C"$$, $$e COLLATE "C" >= 'B'$$,
	$$v < 'a '$$, $$v <= 'a'$$, $$v > 'a '$$, $$v >= '日'$$, $$v1 < 'a'$$, $$v1 <= 'B'$$, $$v1 > 'B'$$, $$v1 >= 'é'$$, $$v1 < 'Baa'$$, $$v1 > ''$$, $$v1 <= ' '$$, $$v1 > 'a long text'$$, $$v1 < '日本'$$,
	$$c < 'a'$$, $$c <= 'a'$$, $$c > 'a'$$, $$c >= 'a  '$$, $$c < 'ab'$$, $$c > ' '$$, $$c <= ''$$, $$c < E'a\t'$$, $$c > E'a\t'$$, $$c >= '日'$$, $$c < c20$$, $$c >= c20$$, $$c1 < 'N'$$, $$c1 <= ''$$, $$c1 > ''$$, $$c1 < ''$$, $$c1 >= 'é'$$, $$c1 > 'NN'$$, $$c1 <= 'NN'$$, $$c1 > 'N  '$$, $$c20 < 'DELIVEr'$$, $$c20 > 'Deliver In Person   '$$, $$c20 BETWEEN 'D' AND 'E'$$, $$c::text < 'a '$$, $$c::text >= 'a'$$,
	$$t NOT LIKE 'a%'$$, $$t NOT LIKE ''$$, $$t NOT LIKE '%'$$, $$t NOT LIKE '_'$$, $$t NOT LIKE '%本%'$$, $$t NOT LIKE 'a\%b'$$, $$NOT (t NOT LIKE 'a%')$$, $$v NOT LIKE '% '$$, $$t NOT LIKE NULL$$, $$t NOT LIKE 'a|_b' ESCAPE '|'$$,
	$$t ILIKE 'a%'$$, $$t ILIKE 'A%'$$, $$t ILIKE 'AB'$$, $$t ILIKE 'gr%'$$, $$t ILIKE 'GRÖSSE'$$, $$t ILIKE 'größe'$$, $$t ILIKE 'gr_sse'$$, $$t ILIKE '%café'$$, $$t ILIKE '%CAFÉ'$$, $$t ILIKE '_'$$, $$t ILIKE 'é'$$, $$t ILIKE '日%'$$, $$t ILIKE 'A\%B'$$, $$t ILIKE 'A\_b'$$, $$t ILIKE '\A\b'$$, $$t ILIKE 'tab_HERE'$$, $$t ILIKE ''$$, $$t ILIKE NULL$$, $$t ILIKE 'a|%B' ESCAPE '|'$$, $$v ILIKE 'EIGHT%'$$, $$t ~~* 'Z'$$,
	$$t NOT ILIKE 'A%'$$, $$t NOT ILIKE '%b%'$$, $$t NOT ILIKE 'z'$$, $$t !~~* '_'$$, $$NOT t ILIKE 'gr%'$$,
	$$length(t) = 0$$, $$length(t) = 1$$, $$length(t) = 2$$, $$length(t) = 5$$, $$length(t) > 9$$, $$char_length(t) = 3$$, $$character_length(v) = 7$$, $$length(v) < 2$$, $$length(c) = 0$$, $$length(c) = 1$$, $$length(c) = 2$$, $$length(c) = 5$$, $$length(c20) = 17$$, $$length(t) > length(s)$$, $$length(c::text) = 2$$, $$length(v1) = 1$$, $$length(c1) = 0$$, $$length(NULL) IS NULL$$,
	$$left(t, 1) = 'a'$$, $$left(t, 0) = ''$$, $$left(t, -1) = 'a'$$, $$left(t, -100) = ''$$, $$left(t, 100) = 'größe'$$, $$left(t, 2) = '日本'$$, $$left(t, -1) = '日本'$$, $$left(t, 3) LIKE 'gr_'$$, $$left(t, NULL) IS NULL$$, $$left(t, -2147483648) = ''$$, $$left(t, 2147483647) = 'ab'$$, $$left(v, 3) = '日本語'$$,
	$$substring(t, 1, 1) = 'a'$$, $$substring(t, 2, 2) = 'bc'$$, $$substring(t, 2) = 'b'$$, $$substring(t, 0, 2) = 'a'$$, $$substring(t, -1, 3) = 'a'$$, $$substring(t, -5, 3) = ''$$, $$substring(t, -5) = 'größe'$$, $$substring(t, 0) = 'ab'$$, $$substring(t, 2, 0) = ''$$, $$substring(t, 100) = ''$$, $$substring(t, 100, 5) = ''$$, $$substring(t FROM 2 FOR 1) = '本'$$, $$substring(t FROM 3) = '語'$$, $$substr(t, 2, 3) = 'röß'$$, $$substr(t, 4) = 'ße'$$, $$substring(t, NULL) IS NULL$$, $$substring(t, 1, NULL) IS NULL$$, $$substring(t, 2147483647, 1) = ''$$, $$substring(t, 1, 2147483647) = 'ab'$$, $$substring(t, -2147483648, 2147483647) = ''$$, $$substring(t, 2, 2147483647) = 'b'$$, $$substring(v, 2, 1) = '本'$$, $$substring(t, 2, 1) IN ('b', '本', 'r')$$, $$substring(t, 1, 1) < 'b'$$, $$substring(c::text, 1, 1) = 'a'$$,
	$$left(substring(t, 2), -1) = 'bcdef'$$, $$length(substring(t, 2, 3)) = 3$$, $$length(left(t, -2)) = 0$$, $$substring(t, 1, 1) ILIKE 'G'$$, $$COALESCE(left(t, 1), 'a') = 'a'$$, $$CASE WHEN length(t) > 2 THEN substring(t, 2, 1) ELSE s END = 'b'$$
]) condition
\gexec
SELECT format('SELECT count(*), sum(id) FROM expr_text_order_long WHERE %s', condition)
FROM unnest(ARRAY[$$t < 'long long m'$$, $$t > repeat('long ', 100)$$, $$t <= repeat('long ', 4000) || '1'$$, $$t NOT LIKE '%1'$$, $$t ILIKE 'LONG%2'$$, $$t ILIKE '%FFFÉ%'$$, $$length(t) > 9000$$, $$length(t) = 32 * 300 + 299$$, $$left(t, -1) = repeat('long ', 400)$$, $$substring(t, 1996, 10) = 'long 0'$$, $$substring(t, 33, 1) = 'é'$$, $$substring(t, 9890) < '5'$$, $$length(left(t, 5000)) < 5000$$]) condition
\gexec
-- as keys and values
SELECT left(t, 2) AS l, length(t) AS n, count(*) FROM expr_text_order GROUP BY 1, 2 ORDER BY 1, 2;
SELECT substring(t, 2, 2) AS s, length(c) AS n, count(*), min(left(t, -1)), max(substring(v, 0, 3)) FROM expr_text_order WHERE id < 700 GROUP BY 1, 2 ORDER BY 1, 2;
SELECT t < 'b' AS lt, c > 'a' AS gt, t ILIKE '%B%' AS il, count(*) FROM expr_text_order GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
SELECT sum(length(t)), max(length(v)), min(length(c)), avg(length(c20)), sum(length(left(t, -1))) FROM expr_text_order;
SELECT sum(length(t)), count(substring(t, 2, 2)) FROM expr_text_order_empty WHERE t < 'x';
SELECT left(t, 1), count(*) FROM expr_text_order_empty GROUP BY 1;
SELECT id, t, v, c FROM expr_text_order WHERE t >= 'größe' AND t < 'z' AND c > 'a' AND id < 500 ORDER BY id;
-- errors are PostgreSQL's, where they are reached
SET gpudb.debug_require = allow;
SELECT count(*) FROM expr_text_order WHERE substring(t, 1, -1) = 'a';
\echo :SQLSTATE
SELECT count(*) FROM expr_text_order WHERE t ILIKE 'a\';
\echo :SQLSTATE
SELECT count(*) FROM expr_text_order WHERE id < 0 AND substring(t, 1, -1) = 'a';
SELECT count(*) FROM expr_text_order WHERE CASE WHEN id < 0 THEN substring(t, 2, -5) = 'a' ELSE k = 1 END;
SELECT count(*) FROM expr_text_order_empty WHERE substring(t, 1, -1) = 'a';
SELECT count(*) FROM expr_text_order WHERE substring(t, -2147483648, -2147483648) = '' AND id < 0;
-- other collations, arguments from columns, other functions
SELECT count(*), sum(id) FROM expr_text_order WHERE e < 'b';
SELECT count(*), sum(id) FROM expr_text_order WHERE e > 'A' AND e <= 'B';
SELECT count(*), sum(id) FROM expr_text_order WHERE e ILIKE 'Ä';
SELECT min(e), max(e) FROM expr_text_order;
SELECT count(*), sum(id) FROM expr_text_order WHERE t < 'b' COLLATE "en-x-icu";
SELECT gpu_nodes('SELECT count(*) FROM expr_text_order WHERE e < ''b''') AS e, gpu_nodes('SELECT count(*) FROM expr_text_order WHERE t < ''b'' COLLATE "en-x-icu"') AS t, gpu_nodes('SELECT max(e) FROM expr_text_order') LIKE '%GpuAgg%' AS m;
SELECT sum(length(left(t, k))), sum(length(substring(t, k, k))), sum(length(upper(t))), sum(length(t || s)), sum(length(right(t, 2))) FROM expr_text_order;
SELECT count(*) FROM expr_text_order WHERE t ILIKE s OR t NOT LIKE v OR upper(t) = 'A' OR c LIKE 'a%' OR c1 ILIKE 'n' OR starts_with(t, 'a');
SELECT count(*) FROM expr_text_order WHERE c > t OR c1 < v1 OR c < v;
SELECT count(*) FROM expr_text_order WHERE t ~<~ 'b' OR t ~>=~ 'z';
DROP TABLE expr_text_order, expr_text_order_long, expr_text_order_empty;
