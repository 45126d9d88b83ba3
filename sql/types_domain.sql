-- Domains over supported types, generated columns.
CREATE DOMAIN types_domain_int AS int4 CHECK (VALUE > 0);
CREATE DOMAIN types_domain_price AS numeric(8,2) DEFAULT 1.5 CHECK (VALUE >= 0);
CREATE DOMAIN types_domain_any AS numeric;
CREATE DOMAIN types_domain_text AS text COLLATE "C" CHECK (VALUE <> 'bad');
CREATE DOMAIN types_domain_flag AS char(3) CHECK (length(VALUE) < 4);
CREATE DOMAIN types_domain_two AS types_domain_int CHECK (VALUE < 100000);
CREATE DOMAIN types_domain_date AS date NOT NULL;
CREATE TABLE types_domain (id int NOT NULL, i types_domain_int, p types_domain_price, a types_domain_any, t types_domain_text, c types_domain_flag, w types_domain_two, d types_domain_date,
	x int, s text, twice int GENERATED ALWAYS AS (x * 2) STORED, gp numeric(14,3) GENERATED ALWAYS AS (x / 8.0) STORED, gt text GENERATED ALWAYS AS ('<' || s || '>') STORED, gi types_domain_int GENERATED ALWAYS AS (abs(x) + 1) STORED);
INSERT INTO types_domain (id, i, p, a, t, c, w, d, x, s)
SELECT i, nullif(i % 300, 0), nullif(i % 500, 3) / 8.0, nullif(i % 40, 7) / 4.0, nullif('text ' || i % 60, 'text 4'), nullif((ARRAY['', 'a', 'ab', 'abc', 'a  ', NULL])[i % 6 + 1], 'zz'), nullif(i % 1000, 0), date '2024-01-01' + i % 100,
	nullif(i % 70 - 35, 5), nullif('s' || i % 9, 's4')
FROM generate_series(1, 9000) i;
INSERT INTO types_domain (id, i, p, a, t, c, w, d, x, s) VALUES (9001, 2147483647, 999999.99, 12345678901234567890.5, '', 'xyz', 99999, 'infinity', 1000000000, ''), (9002, NULL, NULL, NULL, NULL, NULL, NULL, '-infinity', NULL, NULL), (9003, 1, DEFAULT, -0.0, 'größe', ' ', 1, '2024-02-29', -1000000000, 'ß');
CREATE TABLE types_domain_empty (LIKE types_domain INCLUDING ALL);
ANALYZE types_domain, types_domain_empty;
SET datestyle = ISO;
SET gpudb.force = on;
SET gpudb.debug_require = require;
\pset format unaligned
\pset tuples_only on
SELECT format('SELECT count(*), sum(id) FROM types_domain WHERE %s', condition)
FROM unnest(ARRAY[
	$$i = 7$$, $$i > 290$$, $$i < x$$, $$i - 1 = 6$$, $$i % 100 = 99$$, $$i IS NULL$$, $$i = w$$, $$i IN (1, 2, 2147483647)$$, $$i NOT IN (1, 2, 3)$$, $$i = 7::types_domain_int$$, $$i = 7.0$$, $$i::int8 > 2147483646$$, $$-i < -299$$,
	$$w > 998$$, $$w = i$$, $$w BETWEEN 5 AND 6$$, $$w * 2 = x$$, $$p = 1.5$$, $$p > 62$$, $$p < 0.13$$, $$p IN (1, 1.5, 2.00)$$, $$p * 2 = 3$$, $$p = a$$, $$p IS NULL$$, $$p > x$$, $$a = 0$$, $$a > 9.5$$, $$a < p$$, $$a + p > 70$$, $$round(a) = 3$$,
	$$t = 'text 7'$$, $$t < 'text 2'$$, $$t >= 'text 9'$$, $$t LIKE '%9'$$, $$t IN ('text 1', 'größe', '')$$, $$t <> s$$, $$left(t, 6) = 'text 1'$$, $$length(t) = 6$$, $$c = 'a'$$, $$c = 'a  '$$, $$c <> ''$$, $$c IN ('', 'abc', 'xyz')$$, $$c < 'ab'$$, $$c >= 'ab'$$, $$c = ' '$$, $$c IS NULL$$, $$length(c) = 2$$,
	$$d = '2024-02-29'$$, $$d > '2024-04-01'$$, $$d = 'infinity'$$, $$d + 1 = '2024-03-01'$$, $$id <= 9000 AND extract(month FROM d) = 2$$, $$d < timestamp '2024-01-02'$$, $$d = 'infinity'::types_domain_date$$,
	$$twice = 20$$, $$twice IS NULL$$, $$gp = 1.25$$, $$gp < -4$$, $$gt = '<s3>'$$, $$gt LIKE '<s%'$$, $$gi = 11$$, $$gi > twice$$, $$i IS DISTINCT FROM w$$, $$GREATEST(i, w) = 299$$, $$COALESCE(i, w) = 5$$, $$NULLIF(p, 1.5) < 1$$
]) condition
\gexec
\pset format aligned
\pset tuples_only off
SELECT i, w, count(*) FROM types_domain WHERE i < 3 GROUP BY i, w ORDER BY i, w LIMIT 8;
SELECT p, count(*) FROM types_domain WHERE p < 1 OR p > 100 GROUP BY p ORDER BY p;
SELECT t, c, count(*), octet_length(c) FROM types_domain WHERE t IN ('text 1', 'text 2', '', 'größe') OR t IS NULL GROUP BY t, c ORDER BY t, c;
SELECT d, gi, count(*) FROM types_domain WHERE d < '2024-01-03' AND x < -25 GROUP BY d, gi ORDER BY d, gi;
SELECT a, gp, count(*) FROM types_domain WHERE id > 8995 GROUP BY a, gp ORDER BY a, gp;
SELECT sum(i), min(i), max(i), avg(w), sum(p), avg(p), min(p), max(p), max(a), count(c) FROM types_domain;
SELECT min(a), max(a) FROM types_domain WHERE id <> 9003;
SELECT min(t), max(t), min(c), max(c), min(d), max(d), sum(twice), sum(gp), min(gt COLLATE "C"), max(gt COLLATE "C"), max(gi), bit_or(i), stddev(p), var_pop(i) FROM types_domain;
SELECT c, sum(p), max(i), min(t), max(d) FROM types_domain GROUP BY c ORDER BY c;
SELECT sum(i), min(p), max(t), count(*) FROM types_domain_empty;
SELECT i, p, t, c, count(*) FROM types_domain_empty GROUP BY i, p, t, c;
SELECT id, i, p, a, t, c, w, d, twice, gp, gt, gi FROM types_domain WHERE id > 8999 OR p = 1.25 AND c = 'abc' AND id < 1200 ORDER BY id;
SET gpudb.debug_require = allow;
-- casts to a domain check its constraint
SELECT count(*) FROM types_domain WHERE x::types_domain_int > 5;
SELECT count(*) FROM types_domain WHERE (x + 2000000000)::types_domain_int > 2000000005;
SELECT count(*) FROM types_domain WHERE CASE WHEN x > 0 THEN x::types_domain_int END > 5;
SELECT sum(x::numeric::types_domain_price) FROM types_domain WHERE id < 9001;
SELECT x::types_domain_two AS w, count(*) FROM types_domain WHERE x BETWEEN 30 AND 33 GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM types_domain WHERE s::types_domain_text = 's1';
SELECT sum(i * 2) FROM types_domain;
DROP TABLE types_domain, types_domain_empty;
DROP DOMAIN types_domain_two;
DROP DOMAIN types_domain_int, types_domain_price, types_domain_any, types_domain_text, types_domain_flag, types_domain_date;
