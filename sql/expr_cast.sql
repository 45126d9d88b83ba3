-- Casts among the number types and to text's kin.
CREATE TABLE expr_cast (id int NOT NULL, i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, n numeric(12,3), u numeric, c char(5), v varchar(10), t text);
INSERT INTO expr_cast
SELECT i, nullif(i % 2001 - 1000, 3), nullif(i * 37 % 60001 - 30000, 5), i * 41 % 64001 - 32000,
	(i * 43 % 4001 - 2000) / 4.0, (i * 47 % 4001 - 2000) / 4.0, (i * 53 % 8001 - 4000) / 8.0, round((i * 59 % 401 - 200) / 4.0, i % 3),
	'c' || i % 100, 'v' || i % 100, 't' || i % 100
FROM generate_series(1, 20000) i;
ANALYZE expr_cast;

SET gpudb.force = on;
SET gpudb.debug_require = require;

SELECT sum(i2::int4), sum(i2::int8), sum(i4::int8), sum(i4::int2), sum(i8::int2), sum(i8::int4) FROM expr_cast;
SELECT sum(i2::numeric), sum(i4::numeric), sum(i8::numeric), sum(i4::numeric(10,2)), avg(i8::numeric(12,4)) FROM expr_cast;
SELECT min(i2::float4), max(i4::float4), min(i8::float4), min(i2::float8), max(i4::float8), min(i8::float8) FROM expr_cast WHERE i2 <> 0 AND i4 <> 0 AND i8 <> 0;
-- half goes to even from floats, and away from zero from numeric
SELECT f8, f8::int4 AS i, f4::int2 AS j, f8::int8 AS l, count(*) FROM expr_cast WHERE f8 BETWEEN -3 AND 3 AND f8 <> 0 AND f4 BETWEEN 0 AND 20 GROUP BY 1, 2, 3, 4 ORDER BY 1;
SELECT f8::int4 AS i, count(*) FROM expr_cast WHERE f8 IN (-2.5, -1.5, -0.5, 0.5, 1.5, 2.5) GROUP BY 1 ORDER BY 1;
SELECT n::int4 AS i, count(*) FROM expr_cast WHERE n IN (-2.5, -1.5, -0.5, 0.5, 1.5, 2.5) GROUP BY 1 ORDER BY 1;
SELECT sum(f4::int2), sum(f4::int4), sum(f4::int8), sum(f8::int2), sum(f8::int4), sum(f8::int8) FROM expr_cast;
SELECT sum(n::int2), sum(n::int4), sum(n::int8), sum(u::int4), sum(u::int8) FROM expr_cast;
SELECT min(f8::float4), max(f8::float4), min(f4::float8), max(f4::float8) FROM expr_cast WHERE f4 > 0 AND f8 > 0;
SELECT min(n::float8), max(n::float8), min(u::float8), max(u::float8) FROM expr_cast WHERE n > 0 AND u > 0;
SELECT count(*), sum(id) FROM expr_cast WHERE i4::float8 > f8;
SELECT count(*), sum(id) FROM expr_cast WHERE n::float8 = f8;
SELECT count(*), sum(id) FROM expr_cast WHERE f8::int4 = i4;
SELECT count(*), sum(id) FROM expr_cast WHERE i4::numeric = u;
SELECT i4::int2 AS k, count(*) FROM expr_cast WHERE i4 BETWEEN -2 AND 2 GROUP BY 1 ORDER BY 1;
SELECT i8::numeric(12,2) AS k, count(*) FROM expr_cast WHERE i8 BETWEEN -20 AND 20 GROUP BY 1 ORDER BY 1;
SELECT f8::float4 AS k, count(*) FROM expr_cast WHERE f8 BETWEEN 0.2 AND 1 GROUP BY 1 ORDER BY 1;
SELECT (0.1::float4)::float8 = f8 AS k, count(*) FROM expr_cast GROUP BY 1 ORDER BY 1;

-- texts
SELECT count(*) FROM expr_cast WHERE c::text = 'c7';
SELECT count(*) FROM expr_cast WHERE v::text = 'v7';
SELECT count(*) FROM expr_cast WHERE c = 'c7'::bpchar;
SELECT count(*) FROM expr_cast WHERE t::varchar = 't7';
SELECT c::text AS k, count(*) FROM expr_cast WHERE c IN ('c1', 'c2') GROUP BY 1 ORDER BY 1;

-- out of range, with PostgreSQL's errors
SET gpudb.debug_require = allow;
INSERT INTO expr_cast (id, i4, i8, f4, f8, n, u) VALUES
	(20001, 40000, 3000000000, 4e9, 1e19, 40000, 3e9), (20002, -40000, -3000000000, 'NaN', 'NaN', -40000, 1e19), (20003, 0, 9007199254740993, 0, 0.1, 0, 123456789012345678.5);
SELECT sum(i4::int2) FROM expr_cast;
\echo :SQLSTATE
SELECT sum(i8::int2) FROM expr_cast;
SELECT sum(i8::int4) FROM expr_cast;
\echo :SQLSTATE
SELECT sum(f4::int2) FROM expr_cast;
SELECT sum(f4::int4) FROM expr_cast;
SELECT sum(f8::int4) FROM expr_cast;
SELECT sum(f8::int8) FROM expr_cast;
\echo :SQLSTATE
SELECT sum(n::int2) FROM expr_cast;
SELECT sum(u::int4) FROM expr_cast;
SELECT sum(u::int8) FROM expr_cast;
SELECT sum(i8::numeric(8,2)) FROM expr_cast;
SELECT count(*) FROM expr_cast WHERE f8::int4 > 0;
-- digits that a double does not hold
SELECT max(i8::float8), max(u::float8) FROM expr_cast;
SELECT i8::float8, u::float8 FROM expr_cast WHERE id = 20003;
SELECT count(*) FROM expr_cast WHERE i8::float8 = 9007199254740992;
SELECT count(*) FROM expr_cast WHERE u::float8 = 123456789012345680;
SELECT count(*) FROM expr_cast WHERE i8::float4 = 9007199254740992;
-- casts that stay with PostgreSQL
SELECT sum(f8::numeric), sum(length(i4::text)), count(*) FILTER (WHERE i4::bool), sum(n::float4) FROM expr_cast WHERE id <= 20000;
SELECT sum((i4 > 0)::int), max(t::char(2)) FROM expr_cast WHERE id <= 20000;
DROP TABLE expr_cast;
