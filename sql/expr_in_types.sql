-- IN and ANY over lists long enough to be searched, and over array parameters, for every type; prepared comparisons.
SET datestyle = ISO;
SET timezone = 'UTC';
CREATE TYPE expr_in_types_enum AS ENUM ('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l');
CREATE TABLE expr_in_types (id int NOT NULL, k int, t time, z timetz, u uuid, o oid, c "char", n name, e expr_in_types_enum, v interval, s text COLLATE "C", v1 varchar(1), c1 char(1), d date, ts timestamp, num numeric, p numeric(8,2), f float8, i8 int8);
INSERT INTO expr_in_types
SELECT i, i % 9, time '00:00' + i % 40 * interval '1 minute', (time '00:00' + i % 40 * interval '1 minute') AT TIME ZONE 'UTC', md5((i % 40)::text)::uuid, 4294967295 - i % 40, chr(65 + i % 40)::"char", 'n' || i % 40, (enum_range(NULL::expr_in_types_enum))[i % 13 + 1],
	interval '1 hour' * (i % 40), 's' || i % 40, chr(65 + i % 40), chr(65 + i % 40), date '2024-01-01' + i % 40, timestamp '2024-01-01' + i % 40 * interval '1 day', i % 40 / 4.0, i % 40 / 4.0, i % 40 / 4.0, i % 40
FROM generate_series(1, 8000) i;
INSERT INTO expr_in_types (id) VALUES (0);
CREATE TABLE expr_in_types_lists (number serial, col text, typ text, list text[], quoted text);
INSERT INTO expr_in_types_lists (col, typ, list)
SELECT col, typ, (SELECT array_agg(v) FROM (SELECT format(CASE typ WHEN 'time' THEN '00:%s' WHEN 'timetz' THEN '00:%s+00' WHEN 'interval' THEN '%s hours' WHEN 'text' THEN 's%s' WHEN 'name' THEN 'n%s' WHEN 'date' THEN '2024-01-%s' WHEN 'timestamp' THEN '2024-01-%s 00:00' WHEN 'numeric' THEN '%s.50' WHEN 'float8' THEN '%s.25' WHEN 'oid' THEN '42949672%s' ELSE '%s' END, i + 10 + 50 * (typ = 'oid')::int - 10 * (typ IN ('numeric', 'float8'))::int) FROM generate_series(0, 14) i) s (v))
FROM (VALUES ('t', 'time'), ('z', 'timetz'), ('v', 'interval'), ('s', 'text'), ('n', 'name'), ('d', 'date'), ('ts', 'timestamp'), ('num', 'numeric'), ('p', 'numeric'), ('f', 'float8'), ('o', 'oid'), ('i8', 'int8')) c (col, typ);
INSERT INTO expr_in_types_lists (col, typ, list) SELECT col, typ, (SELECT array_agg(CASE typ WHEN 'uuid' THEN md5(i::text) WHEN 'expr_in_types_enum' THEN chr(98 + i % 10) ELSE chr(60 + i) END) FROM generate_series(1, 15) i) FROM (VALUES ('u', 'uuid'), ('c', '"char"'), ('v1', 'varchar'), ('c1', 'bpchar'), ('e', 'expr_in_types_enum')) c (col, typ);
UPDATE expr_in_types_lists SET quoted = (SELECT string_agg(quote_literal(v), ', ') FROM unnest(list) v);
ANALYZE expr_in_types;
SELECT col, typ, list[1], list[15] FROM expr_in_types_lists ORDER BY number;
SET gpudb.force = on;
SET gpudb.debug_require = require;
\pset format unaligned
\pset tuples_only on
SELECT format('SELECT count(*), sum(id) FROM expr_in_types WHERE %s IN (%s)', col, quoted) AS a, format('SELECT count(*), sum(id) FROM expr_in_types WHERE %s NOT IN (%s)', col, quoted) AS b,
	format('SELECT count(*), sum(id) FROM expr_in_types WHERE %s = ANY (%L::%s[]) AND k = 1', col, list, typ) AS c, format('SELECT count(*), sum(id) FROM expr_in_types WHERE %s <> ALL (%L::%s[])', col, list, typ) AS d,
	format('SELECT count(*), sum(id) FROM expr_in_types WHERE %s IN (NULL, %s)', col, quoted) AS e, format('SELECT count(*), sum(id) FROM expr_in_types WHERE %s NOT IN (%s, NULL)', col, quoted) AS f,
	format('SELECT count(*), sum(id) FROM expr_in_types WHERE %s IN (%L)', col, list[3]) AS g, format('SELECT count(*), sum(id) FROM expr_in_types WHERE %s NOT IN (%L, %L)', col, list[3], list[4]) AS h
FROM expr_in_types_lists ORDER BY number
\gexec
SET gpudb.debug_require = require;
SET plan_cache_mode = force_generic_plan;
PREPARE expr_in_types_any(uuid[], time[], expr_in_types_enum[], interval[], text[], oid[], name[], timetz[]) AS
	SELECT count(*) FILTER (WHERE u = ANY ($1)), count(*) FILTER (WHERE t = ANY ($2)), count(*) FILTER (WHERE e = ANY ($3)), count(*) FILTER (WHERE v = ANY ($4)), count(*) FILTER (WHERE s = ANY ($5)), count(*) FILTER (WHERE o = ANY ($6)), count(*) FILTER (WHERE n = ANY ($7)), count(*) FILTER (WHERE z = ANY ($8)), count(*) FILTER (WHERE u <> ALL ($1)), count(*) FILTER (WHERE v <> ALL ($4)), count(*) FILTER (WHERE n <> ALL ($7)) FROM expr_in_types;
EXECUTE expr_in_types_any(ARRAY[md5('1'), md5('2')]::uuid[], '{00:01,00:02}', '{a,c}', '{1 day,24 hours,2 hours}', '{s1,s2}', '{4294967295,4294967290}', '{n1,n2,n3}', '{00:01+00,01:02+01}');
EXECUTE expr_in_types_any(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
EXECUTE expr_in_types_any('{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}');
EXECUTE expr_in_types_any('{NULL}', '{NULL}', '{NULL}', '{NULL}', '{NULL}', '{NULL}', '{NULL}', '{NULL}');
EXECUTE expr_in_types_any(ARRAY[md5('1'), NULL]::uuid[], '{00:01,NULL}', '{a,NULL}', '{24:00,NULL}', '{s1,NULL}', '{4294967295,NULL}', '{n1,NULL}', '{NULL,00:01+00}');
PREPARE expr_in_types_order(time, timetz, expr_in_types_enum, interval, name, "char", oid) AS
	SELECT count(*) FILTER (WHERE t < $1), count(*) FILTER (WHERE z < $2), count(*) FILTER (WHERE e < $3), count(*) FILTER (WHERE v < $4), count(*) FILTER (WHERE n < $5), count(*) FILTER (WHERE c < $6), count(*) FILTER (WHERE o < $7), max(GREATEST(t, $1)), max(NULLIF(e, $3)), max(LEAST(o, $7)), max(GREATEST(v, $4)), count(*) FILTER (WHERE n IS DISTINCT FROM $5) FROM expr_in_types WHERE id > 0;
EXECUTE expr_in_types_order('00:07', '00:07+01', 'd', '1 day 01:00', 'n3', 'e', 4294967280);
EXECUTE expr_in_types_order(NULL, NULL, NULL, NULL, NULL, NULL, NULL);
-- correlated, rescanned states of texts and intervals
SELECT k, (SELECT max(s) FROM expr_in_types y WHERE y.k = x.k AND y.id < 100) AS s, (SELECT min(v) FROM expr_in_types y WHERE y.k = x.k) AS v, (SELECT max(e) FROM expr_in_types y WHERE y.id = x.id) AS e FROM expr_in_types x WHERE id < 8 ORDER BY id;
SELECT k, max(s), min(s), stddev(id) FROM expr_in_types GROUP BY ROLLUP (k) ORDER BY k, stddev(id);
-- comparisons of rows are PostgreSQL's
SET gpudb.debug_require = allow;
SELECT count(*) FROM expr_in_types WHERE (t, o) < ('00:05', 4294967290);
SELECT count(*) FROM expr_in_types WHERE (t, k) IN (('00:05', 1), ('00:06', 2));
DEALLOCATE expr_in_types_any;
DEALLOCATE expr_in_types_order;
DROP TABLE expr_in_types, expr_in_types_lists;
DROP TYPE expr_in_types_enum;
