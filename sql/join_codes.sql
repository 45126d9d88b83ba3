-- Texts of joined tables by their codes: as keys of groups, in conditions, by way of several tables, and where codes do not do.
CREATE TABLE join_codes_f (id int, r int, q numeric(12,2), mode text);
INSERT INTO join_codes_f SELECT i, i % 5000, (i % 1000) / 10.0, (ARRAY['AIR MAIL AND BOAT','RAILWAY TRANSPORT','CONTAINER SHIP'])[1 + i % 3] FROM generate_series(1, 20000) i;
CREATE TABLE join_codes_n (id int PRIMARY KEY, name char(25), region int);
INSERT INTO join_codes_n SELECT i, CASE WHEN i % 7 <> 3 THEN 'NATION NUMBER ' || i % 20 END, i % 5 FROM generate_series(0, 24) i;
CREATE TABLE join_codes_s (id int PRIMARY KEY, nation int, type varchar(40), name text, n text);
INSERT INTO join_codes_s SELECT i, i % 27, 'TYPE OF ' || repeat('x', i % 11), 'Supplier number ' || i, '1' || repeat('0', i % 3) FROM generate_series(0, 4899) i;
ANALYZE join_codes_f, join_codes_n, join_codes_s;
SET gpudb.force = on;
SET gpudb.debug_require = require;
SET max_parallel_workers_per_gather = 0;
\pset null '(null)'
\pset format unaligned
SELECT n.name, s.type, count(*), sum(f.q) FROM join_codes_f f JOIN join_codes_s s ON f.r = s.id JOIN join_codes_n n ON s.nation = n.id WHERE n.region = 2 GROUP BY 1, 2 ORDER BY 1, 2 LIMIT 12;
SELECT n.name, count(*), count(n.name) FROM join_codes_f f LEFT JOIN (join_codes_s s JOIN join_codes_n n ON s.nation = n.id) ON f.r = s.id GROUP BY 1 ORDER BY 1;
SELECT f.mode, n.name, count(*) FROM join_codes_f f, join_codes_s s, join_codes_n n WHERE f.r = s.id AND s.nation = n.id AND n.name IN ('NATION NUMBER 5', 'NATION NUMBER 9') GROUP BY 1, 2 ORDER BY 1, 2;
-- conditions of which PostgreSQL is asked
SELECT count(*), sum(CASE WHEN n.name LIKE '%1_ %' OR upper(s.type) = 'TYPE OF XX' THEN f.q ELSE 0 END), count(*) FILTER (WHERE n.name IS NULL)
	FROM join_codes_f f LEFT JOIN join_codes_s s ON f.r = s.id LEFT JOIN join_codes_n n ON s.nation = n.id WHERE s.type ~ 'x{2,}$' OR n.name IS NULL;
SELECT count(*) FROM join_codes_f f JOIN join_codes_s s ON f.r = s.id AND (s.type = 'TYPE OF x' OR f.mode LIKE 'RAIL%' AND s.type LIKE '%xxx');
SELECT count(*) FROM join_codes_f f WHERE EXISTS (SELECT FROM join_codes_s s WHERE s.id = f.r AND s.type ILIKE '%OF x%' AND s.nation + f.id > 300);
-- two tables of one relation: the codes of each are its own
SELECT count(*), min(n1.id), max(n2.id) FROM join_codes_f f JOIN join_codes_s s ON f.r = s.id JOIN join_codes_n n1 ON s.nation = n1.id JOIN join_codes_n n2 ON n2.id = s.id % 25
	WHERE n1.name = 'NATION NUMBER 4' AND n2.name = 'NATION NUMBER 9' OR n1.name = 'NATION NUMBER 9' AND n2.name = 'NATION NUMBER 4';
-- a key of the join, compared with others, or cut: texts
SELECT count(*) FROM join_codes_f f JOIN join_codes_s s ON s.type = substr(f.mode, 1, 4) || 'x' AND s.id = f.r;
SELECT max(s.type), min(n.name), count(DISTINCT 1) FROM join_codes_f f JOIN join_codes_s s ON f.r = s.id JOIN join_codes_n n ON s.nation = n.id WHERE f.id < 5000;
SELECT count(*) FROM join_codes_f f JOIN join_codes_s s ON f.r = s.id WHERE s.type < f.mode;
-- a condition that raises an error for some values, which no row that is joined has; and for one that rows have
SELECT count(*) FROM join_codes_f f JOIN join_codes_s s ON f.r = s.id AND (f.id < 0 OR length(decode(s.n, 'hex')) = 1) WHERE f.r % 3 = 1;
SET gpudb.debug_require = allow;
SELECT count(*) FROM join_codes_f f JOIN join_codes_s s ON f.r = s.id AND (f.id < 0 OR length(decode(s.n, 'hex')) = 1) WHERE f.r % 3 = 2;
-- more values than codes, though statistics tell of few
ALTER TABLE join_codes_s ALTER name SET (n_distinct = 10);
ANALYZE join_codes_s;
INSERT INTO join_codes_s SELECT i, 3, 'TYPE OF ', 'Supplier number ' || i, '1' FROM generate_series(5000, 74999) i;
SELECT s.name, count(*) FROM join_codes_f f JOIN join_codes_s s ON f.r = s.id WHERE s.name LIKE '%99' GROUP BY 1 ORDER BY 1 LIMIT 3;
-- prepared, with a parameter for the value
PREPARE join_codes_p (text) AS SELECT count(*) FROM join_codes_f f JOIN join_codes_s s ON f.r = s.id AND (s.type = $1 OR s.nation = 3);
SET plan_cache_mode = force_generic_plan;
EXECUTE join_codes_p ('TYPE OF xx');
EXECUTE join_codes_p (NULL);
EXECUTE join_codes_p ('TYPE OF xxxx');
RESET plan_cache_mode;
DROP TABLE join_codes_f, join_codes_n, join_codes_s;
