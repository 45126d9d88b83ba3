--
-- Joins of He et al. 2009 (GDB), of DBmbench, which they run too, and of Hristov 2010.
--
--   psql -v n=1000000 -f data_joins.sql
--
--   r, s            n rows: a1 uniform on [0, 2^31 - 1], a2 on [0, n).  The paper has 16 M of each
--   r32, s32        n/16 rows of 32 such fields, 128 bytes
--   t1              0.15 n rows, a1 a permutation of 1 … 0.15 n
--   t2              n rows, a1 of some row of t1
--   w1, w2          Wisconsin relations of n and 0.6 n rows (data_wisconsin.sql)
--   joins_constants ranges of a2 in r32 and s32, a tenth of each, half of them in common
--
-- t1 and t2: a2 uniform on 1 … 20,000, a3 on 1 … 50, 100 bytes; at n = 1 M a1 is
-- in 1 … 150,000.
--
\if :{?n}
\else
\set n 1000000
\endif
\ir data_hash.sql

DROP TABLE IF EXISTS r, s, r32, s32, t2, t1, joins_constants;

CREATE TABLE r(a1 int, a2 int);
INSERT INTO r
SELECT floor(2147483648 * bench_u(i, 701))::int, floor(:n * bench_u(i, 702))::int FROM generate_series(1, :n) i;
CREATE TABLE s(a1 int, a2 int);
INSERT INTO s
SELECT floor(2147483648 * bench_u(i, 703))::int, floor(:n * bench_u(i, 704))::int FROM generate_series(1, :n) i;

SELECT greatest(1, :n / 16) AS n32, greatest(1, :n * 15::int8 / 100) AS n1, greatest(1, :n * 6::int8 / 10) AS n2 \gset

SELECT format('CREATE TABLE %s(%s)', name, string_agg(format('a%s int', a), ', ' ORDER BY a)),
	   format('INSERT INTO %s SELECT %s FROM generate_series(1, %s) i', name,
			  string_agg(format('floor(%s * bench_u(i, %s))::int', CASE a WHEN 2 THEN :n32 ELSE 2147483648 END, stream + a),
						 ', ' ORDER BY a),
			  :n32)
FROM (VALUES ('r32', 710), ('s32', 750)) tables(name, stream), generate_series(1, 32) a
GROUP BY name ORDER BY name \gexec

CREATE TABLE t1(a1 int PRIMARY KEY, a2 int NOT NULL, a3 int NOT NULL, padding char(88) NOT NULL);
INSERT INTO t1
SELECT row_number() OVER (ORDER BY hashint8extended(i, 791), i),
	   1 + floor(20000 * bench_u(i, 792))::int, 1 + floor(50 * bench_u(i, 793))::int, ''
FROM generate_series(1, :n1) i
ORDER BY i;
CREATE TABLE t2(a1 int NOT NULL REFERENCES t1, a2 int NOT NULL, a3 int NOT NULL, padding char(88) NOT NULL);
INSERT INTO t2
SELECT 1 + floor(:n1 * bench_u(i, 794))::int,
	   1 + floor(20000 * bench_u(i, 795))::int, 1 + floor(50 * bench_u(i, 796))::int, ''
FROM generate_series(1, :n) i;

CREATE TABLE joins_constants AS
SELECT 40 * :n32 / 100 AS lo, 50 * :n32 / 100 AS hi, 45 * :n32 / 100 AS lo2, 55 * :n32 / 100 AS hi2;

VACUUM (ANALYZE, FREEZE) r;
VACUUM (ANALYZE, FREEZE) s;
VACUUM (ANALYZE, FREEZE) r32;
VACUUM (ANALYZE, FREEZE) s32;
VACUUM (ANALYZE, FREEZE) t1;
VACUUM (ANALYZE, FREEZE) t2;
ANALYZE joins_constants;

\set w w1
\set stream 801
\ir data_wisconsin.sql
\set n :n2
\set w w2
\set stream 811
\ir data_wisconsin.sql
