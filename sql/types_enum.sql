-- enums, also with labels added out of order.
CREATE TYPE types_enum_plain AS ENUM ('red', 'green', 'blue', 'dark red', '');
CREATE TYPE types_enum_late AS ENUM ('b', 'd');
ALTER TYPE types_enum_late ADD VALUE 'a' BEFORE 'b';
ALTER TYPE types_enum_late ADD VALUE 'c' AFTER 'b';
ALTER TYPE types_enum_late ADD VALUE 'e';
ALTER TYPE types_enum_late ADD VALUE '0' BEFORE 'a';
CREATE TYPE types_enum_end AS ENUM ('one', 'two');
ALTER TYPE types_enum_end ADD VALUE 'three';
ALTER TYPE types_enum_end ADD VALUE 'five';
CREATE TYPE types_enum_single AS ENUM ('only');
CREATE DOMAIN types_enum_domain AS types_enum_plain CHECK (VALUE <> 'blue');
CREATE TABLE types_enum (id int NOT NULL, k int, p types_enum_plain, p2 types_enum_plain, l types_enum_late, l2 types_enum_late, e types_enum_end, s types_enum_single, d types_enum_domain);
INSERT INTO types_enum
SELECT i, i % 4, (ARRAY['red', 'green', 'blue', 'dark red', '', NULL]::types_enum_plain[])[i % 6 + 1], (ARRAY['', 'dark red', 'blue', 'green', 'red']::types_enum_plain[])[i % 5 + 1],
	(ARRAY['a', 'b', 'c', 'd', 'e', NULL, '0']::types_enum_late[])[i % 7 + 1], (ARRAY['e', 'c', 'a', 'b', 'd']::types_enum_late[])[i % 5 + 1],
	(ARRAY['one', 'two', 'three', 'five', NULL]::types_enum_end[])[i % 5 + 1], nullif('only', 'on' || CASE WHEN i % 3 = 0 THEN 'ly' END)::types_enum_single, (ARRAY['red', 'green', NULL]::types_enum_plain[])[i % 3 + 1]
FROM generate_series(1, 8400) i;
INSERT INTO types_enum (id, k) VALUES (8401, 9), (8402, 9);
CREATE TABLE types_enum_empty (LIKE types_enum);
ANALYZE types_enum, types_enum_empty;
SET gpudb.force = on;
SET gpudb.debug_require = require;
\pset format unaligned
\pset tuples_only on
SELECT format('SELECT count(*), sum(id) FROM types_enum WHERE %s', condition)
FROM unnest(ARRAY[
	$$p = 'red'$$, $$p <> 'red'$$, $$p < 'blue'$$, $$p <= 'blue'$$, $$p > 'green'$$, $$p >= ''$$, $$'dark red' > p$$, $$p < p2$$, $$p >= p2$$, $$p = p2$$, $$p <> p2$$, $$p IS NULL$$, $$p IS DISTINCT FROM p2$$, $$p IN ('red', 'blue', '')$$, $$p NOT IN ('red', 'blue')$$, $$p IN ('red', NULL)$$, $$p = ANY ('{red,green}')$$, $$p <> ALL ('{red,green}')$$, $$p BETWEEN 'green' AND 'dark red'$$,
	$$e < 'three'$$, $$e > 'two'$$, $$e >= 'five'$$, $$e IN ('three', 'five', 'one')$$, $$s = 'only'$$, $$s < 'only'$$, $$s <= 'only'$$, $$s IS NULL$$, $$d::types_enum_plain = 'red'$$, $$d::types_enum_plain > 'red'$$, $$d::types_enum_plain = p$$, $$d::types_enum_plain < p2$$,
	$$l = 'a'$$, $$l <> 'a'$$, $$l = l2$$, $$l IN ('a', 'c', '0')$$, $$l NOT IN ('a', 'c', '0')$$, $$l IS DISTINCT FROM 'c'$$, $$l IS NOT DISTINCT FROM l2$$
]) condition
\gexec
\pset format aligned
\pset tuples_only off
SELECT p, count(*), min(p2), max(e) FROM types_enum GROUP BY p ORDER BY p;
SELECT l, d, count(*), min(p) FROM types_enum WHERE id <= 21 OR k = 9 GROUP BY l, d ORDER BY l, d;
SELECT min(p), max(p), min(p2), max(p2), min(e), max(e), min(s), max(s), count(l), count(s) FROM types_enum;
SELECT k, min(p), max(p), min(e), max(s), min(d::types_enum_plain), max(d::types_enum_plain) FROM types_enum GROUP BY k ORDER BY k;
SELECT min(p) FILTER (WHERE p > 'red'), max(p) FILTER (WHERE p < 'blue'), max(e) FILTER (WHERE k = 9) FROM types_enum;
SELECT max(GREATEST(p, 'green')), min(LEAST(p, p2)), count(NULLIF(p, 'red')), max(CASE WHEN k = 1 THEN p ELSE 'green' END), min(COALESCE(e, 'five')) FROM types_enum;
SELECT min(p), max(e), count(*) FROM types_enum_empty;
SELECT p, l, max(s) FROM types_enum_empty GROUP BY p, l;
SELECT id, p, l, e, s FROM types_enum WHERE p > 'dark red' AND e = 'three' AND id < 100 ORDER BY p, id;
-- the order of a type whose labels came out of order is PostgreSQL's
SET gpudb.debug_require = allow;
\pset format unaligned
\pset tuples_only on
SELECT format('SELECT count(*), sum(id) FROM types_enum WHERE %s', condition)
FROM unnest(ARRAY[$$l < 'b'$$, $$l <= 'b'$$, $$l > 'b'$$, $$l >= 'c'$$, $$l < 'c' AND l > '0'$$, $$l < l2$$, $$l >= l2$$, $$l BETWEEN 'a' AND 'c'$$, $$l < 'a' OR l > 'd'$$, $$l > ANY (ARRAY['c', 'e']::types_enum_late[])$$]) condition
\gexec
\pset format aligned
\pset tuples_only off
SELECT min(l), max(l), min(l2), max(l2) FROM types_enum;
SELECT k, min(l), max(l) FROM types_enum GROUP BY k ORDER BY k;
SELECT l, min(l2), max(l2), count(*) FROM types_enum GROUP BY l ORDER BY l;
SELECT max(GREATEST(l, 'b')), min(LEAST(l, l2)), min(l) FILTER (WHERE l <> '0') FROM types_enum;
-- in order so far; then a label comes between, while tablets and prepared plans are there
SET plan_cache_mode = force_generic_plan;
PREPARE types_enum_below AS SELECT count(*), min(e), max(e) FROM types_enum WHERE e < $1;
EXECUTE types_enum_below('five');
EXECUTE types_enum_below('one');
SELECT gpu_nodes('SELECT max(e) FROM types_enum WHERE e < ''five''') AS before;
ALTER TYPE types_enum_end ADD VALUE 'zero' BEFORE 'one';
ALTER TYPE types_enum_end ADD VALUE 'four' BEFORE 'five';
EXECUTE types_enum_below('one');
UPDATE types_enum SET e = CASE id % 2 WHEN 0 THEN 'zero' ELSE 'four' END::types_enum_end WHERE e IS NULL;
EXECUTE types_enum_below('five');
EXECUTE types_enum_below('one');
EXECUTE types_enum_below('four');
SELECT min(e), max(e), count(*) FILTER (WHERE e < 'one'), count(*) FILTER (WHERE e > 'three') FROM types_enum;
SELECT e, count(*) FROM types_enum GROUP BY e ORDER BY e;
SET gpudb.debug_require = require;
SELECT e, count(*) FROM types_enum WHERE e IN ('zero', 'four') OR e = 'one' GROUP BY e ORDER BY e;
-- a renamed label
ALTER TYPE types_enum_plain RENAME VALUE 'green' TO 'verde';
SELECT p, count(*) FROM types_enum WHERE p >= 'verde' AND p < 'dark red' GROUP BY p ORDER BY p;
DEALLOCATE types_enum_below;
DROP TABLE types_enum, types_enum_empty;
DROP DOMAIN types_enum_domain;
DROP TYPE types_enum_plain, types_enum_late, types_enum_end, types_enum_single;
