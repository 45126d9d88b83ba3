-- Values by their rank, in rounds of counting.
CREATE TABLE agg_percentile (id int NOT NULL, b bool, i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, d date, t time, ts timestamp, tz timestamptz, c char(1), o oid, n numeric(8,2), x text);
INSERT INTO agg_percentile
SELECT i, i % 3 = 0, nullif(i * 31 % 601 - 300, 7), nullif(i * 41 % 90001 - 45000, 11), nullif(i::int8 * 47000003 % 900000000001 - 450000000, 13), nullif(i * 17 % 4001 - 2000, 8) / 8.0,
	(nullif(i * 104729::int8 % 1000003, 5) - 500000) / 1000.0, date '2000-01-01' + i % 4000, time '00:00' + i * interval '7 seconds', timestamp '1999-12-31' + i * interval '1 hour 3 microseconds',
	timestamptz '2020-02-02' - i * interval '37 minutes', chr(65 + i % 20), i * 1000003::int8 % 4294967296, i / 7.0, 'text ' || i % 50
FROM generate_series(1, 12000) i;
CREATE TABLE agg_percentile_odd (id int, f8 float8, f4 float4, i8 int8, z float8, nothing int);
INSERT INTO agg_percentile_odd SELECT i, CASE i % 5 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' WHEN 2 THEN '-Infinity' WHEN 3 THEN 1e-310 * i ELSE i END, CASE WHEN i % 3 > 0 THEN i / 3.0 ELSE 'NaN' END,
	CASE i % 4 WHEN 0 THEN 9223372036854775807 WHEN 1 THEN -9223372036854775808 WHEN 2 THEN i END, CASE WHEN i % 2 = 0 THEN 0 ELSE -1 END FROM generate_series(1, 300) i;
ANALYZE agg_percentile, agg_percentile_odd;
SET gpudb.force = on;
SET gpudb.debug_require = require;
\pset null '(null)'
\pset format unaligned
\pset tuples_only on
SELECT explain FROM explain('SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY i4), percentile_cont(0.25) WITHIN GROUP (ORDER BY f8 DESC) FROM agg_percentile');
SELECT explain FROM explain('SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY i2), percentile_disc(0.5) WITHIN GROUP (ORDER BY i2 DESC) FROM agg_percentile', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') WHERE explain ~ 'Rounds|Aggregates|Fallback';
-- every type, and what there is at each end
CREATE TABLE agg_percentile_queries AS
SELECT row_number() OVER () AS number, format('SELECT %s FROM agg_percentile', string_agg(format('percentile_disc(%s) WITHIN GROUP (ORDER BY %s %s)', fraction, argument, direction), ', ')) AS sql
FROM unnest('{b,i2,i4,i8,f4,f8,d,t,ts,tz,o,"c COLLATE \"C\"","i4 / 7","i2 + i8","abs(f4)","CASE WHEN b THEN i4 END","ts::date"}'::text[]) WITH ORDINALITY a(argument, place), unnest('{0,0.0001,0.25,0.5,0.75,1}'::text[]) fraction, unnest('{"",DESC}'::text[]) direction
GROUP BY place, direction;
INSERT INTO agg_percentile_queries
SELECT 100 + row_number() OVER (), format('SELECT %s FROM agg_percentile', string_agg(format('percentile_cont(%s) WITHIN GROUP (ORDER BY %s %s)', fraction, argument, direction), ', '))
FROM unnest('{i2,i4,i8,f4,f8,f8 + i2}'::text[]) WITH ORDINALITY a(argument, place), unnest('{0,0.0001,0.3,0.5,1}'::text[]) fraction, unnest('{"",DESC}'::text[]) direction
GROUP BY place, direction;
INSERT INTO agg_percentile_queries
SELECT 200 + row_number() OVER (), format('SELECT %s FROM agg_percentile_odd', string_agg(format('percentile_disc(%s) WITHIN GROUP (ORDER BY %s), percentile_cont(%1$s) WITHIN GROUP (ORDER BY %2$s)', fraction, argument), ', '))
FROM unnest('{f8,f4::float8,i8::float8,nothing::float8}'::text[]) argument, unnest('{0,0.1,0.2,0.21,0.5,0.8,0.81,1}'::text[]) fraction
GROUP BY argument;
INSERT INTO agg_percentile_queries VALUES
	(300, 'SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY i8), percentile_disc(0.99) WITHIN GROUP (ORDER BY i8), percentile_disc(0.3) WITHIN GROUP (ORDER BY nothing) FROM agg_percentile_odd'),
	(301, 'SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY i4) FILTER (WHERE b), percentile_disc(0.5) WITHIN GROUP (ORDER BY i4) FILTER (WHERE id < 3), percentile_cont(0.5) WITHIN GROUP (ORDER BY f8) FILTER (WHERE id = 7), count(*), sum(i4), avg(n), max(x) FROM agg_percentile'),
	(302, 'SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY i4), percentile_cont(0.5) WITHIN GROUP (ORDER BY i4), count(i4) FROM agg_percentile WHERE i2 > 100 AND d < ''2005-05-05'''),
	(303, 'SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY i4), percentile_cont(0.5) WITHIN GROUP (ORDER BY i4), count(i4) FROM agg_percentile WHERE id < 0'),
	(304, 'SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY i4) FROM agg_percentile WHERE id BETWEEN 5 AND 6 HAVING percentile_disc(0.1) WITHIN GROUP (ORDER BY id) = 5'),
	(305, 'SELECT percentile_disc(0.9) WITHIN GROUP (ORDER BY a.i4), percentile_cont(0.9) WITHIN GROUP (ORDER BY q.f8) FROM agg_percentile a LEFT JOIN agg_percentile_odd q ON q.id = a.id WHERE a.b AND (q.id IS NULL OR q.id % 5 = 4)'),
	(307, 'SELECT percentile_disc(''{0.9,NULL,0,0.5,1,0.5}''::float8[]) WITHIN GROUP (ORDER BY i4 DESC), percentile_cont(''[2:3][0:1]={{0.25,0.5},{0.75,NULL}}''::float8[]) WITHIN GROUP (ORDER BY f8), percentile_disc(''{0.3}''::float8[]) WITHIN GROUP (ORDER BY c COLLATE "C"), max(i8) FROM agg_percentile'),
	(308, 'SELECT percentile_disc(''{0.01,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,0.99}''::float8[]) WITHIN GROUP (ORDER BY tz), (percentile_cont(''{0.1,0.2,0.7}''::float8[]) WITHIN GROUP (ORDER BY i8))[3] + 1 FROM agg_percentile WHERE b'),
	(309, 'SELECT percentile_disc(''{0.5,1}''::float8[]) WITHIN GROUP (ORDER BY i4), percentile_cont(''{0.5,NULL}''::float8[]) WITHIN GROUP (ORDER BY i4) FROM agg_percentile WHERE id < 0'),
	(310, 'SELECT percentile_disc(''{NULL,NULL}''::float8[]) WITHIN GROUP (ORDER BY i4) FROM agg_percentile'),
	(311, 'SELECT percentile_cont(0.37) WITHIN GROUP (ORDER BY i2), percentile_cont(0.5) WITHIN GROUP (ORDER BY i4 DESC), percentile_cont(''{0.1,0.37}''::float8[]) WITHIN GROUP (ORDER BY i8), percentile_cont(0.37) WITHIN GROUP (ORDER BY f4), gpudb.median(i4) FILTER (WHERE b) FROM agg_percentile'),
	(312, 'SELECT percentile_cont(0.37) WITHIN GROUP (ORDER BY i8 * 10000019), percentile_cont(0.5) WITHIN GROUP (ORDER BY i4::float8), percentile_cont(0.5) WITHIN GROUP (ORDER BY i4::float4) FROM agg_percentile'),
	(306, 'SELECT g, (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY a.i4) FROM agg_percentile a WHERE a.id > g * 1000) FROM generate_series(1, 13, 3) g');
SELECT compare_answers('agg_percentile_queries', 'GpuAgg');
-- what is the same after other rounds, and with tiles that begin again
SET gpudb.debug_yield = 7;
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY i4), percentile_cont(0.5) WITHIN GROUP (ORDER BY f8), count(*) FROM agg_percentile;
RESET gpudb.debug_yield;
BEGIN;
DELETE FROM agg_percentile WHERE i4 > 0;
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY i4), count(*) FROM agg_percentile;
ROLLBACK;
PREPARE agg_percentile_prepared (int) AS SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY i4 + $1) FROM agg_percentile WHERE id > $1;
EXECUTE agg_percentile_prepared (0);
EXECUTE agg_percentile_prepared (6000);
-- where a sample tells where to look: alike everywhere, ascending, so that it is wrong, few values, huge ones, and none in the sample
CREATE TABLE agg_percentile_many (i int, alike int, up int8, few int2, far float8, late int, filler text);
INSERT INTO agg_percentile_many
SELECT i, i * 7919::int8 % 300007, i * 1000003::int8, i % 3, ((i * 104729::int8 % 1000003) - 500000) * 1e200 ^ (i % 3 - 1), CASE WHEN i > 299500 THEN i END, repeat('f', 60) FROM generate_series(1, 300000) i;
VACUUM ANALYZE agg_percentile_many;
SET gpudb.debug_sample = 2;
SELECT sum(i + alike + up + few + late), sum(far) IS NULL FROM agg_percentile_many;
-- a GPU takes the sample itself, and seeks; the CPU in its place finds too many values, and goes on with bins
SET gpudb.debug_seek = 20000;
SELECT argument, string_agg(trim(explain), ', ') = CASE WHEN current_setting('gpudb.device') = 'gpu' AND current_setting('gpudb.provider') <> 'cpu' THEN 'Rounds: 1'
	ELSE format('Rounds: %s, Rounds of a Sample: 1', rounds + (current_setting('gpudb.device') = 'gpu')::int) END AS expected
FROM (VALUES ('0.5', 'alike', 3), ('0.99', 'up', 5)) q (fraction, argument, rounds), explain(format('SELECT percentile_disc(%s) WITHIN GROUP (ORDER BY %s) FROM agg_percentile_many', fraction, argument), 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF')
WHERE explain ~ 'Rounds|Fallback' GROUP BY argument, rounds ORDER BY argument;
CREATE TABLE agg_percentile_sampled AS
SELECT row_number() OVER () AS number, format('SELECT %s, count(*) FROM agg_percentile_many WHERE %s', string_agg(format('percentile_disc(%s) WITHIN GROUP (ORDER BY %s %s)', fraction, argument, direction), ', '), condition) AS sql
FROM unnest('{alike,up,few,far,late,"up - alike","alike::float8 / (few + 1)","CASE WHEN few > 0 THEN alike END"}'::text[]) argument, unnest('{0,0.00001,0.3,0.5,0.999,1}'::text[]) fraction, unnest('{"",DESC}'::text[]) direction,
	unnest('{true,"i % 10 = 3","i < 1000","i BETWEEN 100000 AND 200000"}'::text[]) condition
GROUP BY argument, direction, condition;
INSERT INTO agg_percentile_sampled VALUES
	(1000, 'SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY alike), percentile_cont(''{0.2,0.4,0.6}''::float8[]) WITHIN GROUP (ORDER BY far), percentile_disc(''{0.01,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,0.99}''::float8[]) WITHIN GROUP (ORDER BY alike) FROM agg_percentile_many'),
	(1001, 'SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY a.alike) FROM agg_percentile_many a JOIN agg_percentile b ON b.id = a.few');
-- one percentile of a column, which a GPU seeks
INSERT INTO agg_percentile_sampled
SELECT 2000 + row_number() OVER (), format('SELECT percentile_%s(%s) WITHIN GROUP (ORDER BY %s %s), count(%s) FROM agg_percentile_many', kind, fraction, argument, direction, argument)
FROM unnest('{disc,cont}'::text[]) kind, unnest('{alike,up,few,far,late}'::text[]) argument, unnest('{0,0.00001,0.3,0.5,0.999,1}'::text[]) fraction, unnest('{"",DESC}'::text[]) direction;
SELECT compare_answers('agg_percentile_sampled', 'GpuAgg');
RESET gpudb.debug_seek;
RESET gpudb.debug_sample;
-- what is left to PostgreSQL: two zeros that print differently, errors, other types, groups, several fractions
SET gpudb.debug_require = allow;
SELECT explain FROM explain('SELECT percentile_disc(0.9) WITHIN GROUP (ORDER BY CASE WHEN id % 2 = 0 THEN 0 ELSE float8 ''-0'' END) FROM agg_percentile', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') WHERE explain ~ 'Gpu|Fallback';
SELECT percentile_disc(1.5) WITHIN GROUP (ORDER BY i4) FROM agg_percentile;
SELECT percentile_disc(-0.1) WITHIN GROUP (ORDER BY i4) FROM agg_percentile;
SELECT percentile_cont('NaN') WITHIN GROUP (ORDER BY i4) FROM agg_percentile;
SELECT percentile_disc(NULL) WITHIN GROUP (ORDER BY i4) FROM agg_percentile;
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY n), percentile_disc(0.5) WITHIN GROUP (ORDER BY x) FROM agg_percentile;
SELECT b, percentile_disc(0.5) WITHIN GROUP (ORDER BY i4) FROM agg_percentile GROUP BY b ORDER BY b;
SELECT percentile_disc('{0.1,0.5}'::float8[]) WITHIN GROUP (ORDER BY i4), mode() WITHIN GROUP (ORDER BY b) FROM agg_percentile;
SELECT percentile_disc('{}'::float8[]) WITHIN GROUP (ORDER BY i4), percentile_disc(NULL::float8[]) WITHIN GROUP (ORDER BY i4) FROM agg_percentile;
SELECT percentile_disc('{0.1,1.5}'::float8[]) WITHIN GROUP (ORDER BY i4) FROM agg_percentile;
SELECT gpu_nodes('SELECT percentile_disc(''{0.1,0.5}''::float8[]) WITHIN GROUP (ORDER BY i4) FROM agg_percentile') AS several, gpu_nodes('SELECT percentile_disc(''{}''::float8[]) WITHIN GROUP (ORDER BY i4) FROM agg_percentile') AS none,
	gpu_nodes('SELECT percentile_disc(array_fill(0.5::float8, ''{65}'')) WITHIN GROUP (ORDER BY i4) FROM agg_percentile') AS too_many, gpu_nodes('SELECT percentile_disc(ARRAY(SELECT g / 9.0 FROM generate_series(1, 3) g)) WITHIN GROUP (ORDER BY i4) FROM agg_percentile') AS not_constant;
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY i4 USING <) FROM agg_percentile;
DROP TABLE agg_percentile, agg_percentile_odd, agg_percentile_queries, agg_percentile_many, agg_percentile_sampled;
