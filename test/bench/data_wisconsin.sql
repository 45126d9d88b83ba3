--
-- Hristov 2010: the Wisconsin benchmark's relation, with float4 percentages.
--
--   psql -v n=1000000 -f data_wisconsin.sql
--
-- With -v w=NAME -v stream=N it is another relation, of other permutations.
--
--   unique1, unique2  two independent random permutations of 0 … n-1
--                     (the rank of the row's hash; ties by row number)
--   two … twenty      unique1 modulo the name
--   onepercent …      unique1 modulo 100, 10, 5, 2: each value selects that share
--   unique3           unique1;  even = 2·onepercent;  odd = even + 1
--   stringu1, 2       unique1, unique2 as seven letters A … Z, most significant first
--   stringu4          four values in turn by row number
--
\if :{?n}
\else
\set n 1000000
\endif
\if :{?w}
\else
\set w w
\set stream 201
\endif
\ir data_hash.sql

DROP TABLE IF EXISTS :w;
CREATE OR REPLACE FUNCTION bench_letters(v int) RETURNS char(8)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT (chr(65 + v / 308915776 % 26) || chr(65 + v / 11881376 % 26) || chr(65 + v / 456976 % 26)
		 || chr(65 + v / 17576 % 26) || chr(65 + v / 676 % 26) || chr(65 + v / 26 % 26)
		 || chr(65 + v % 26))::char(8)
$$;

CREATE TABLE :w(
	unique1 int, unique2 int, two int, four int, ten int, twenty int,
	onepercent float4, tenpercent float4, twentypercent float4, fiftypercent float4,
	unique3 int, even int, odd int,
	stringu1 char(8), stringu2 char(8), stringu4 char(8));
INSERT INTO :w
SELECT u1, u2, u1 % 2, u1 % 4, u1 % 10, u1 % 20,
	   u1 % 100, u1 % 10, u1 % 5, u1 % 2,
	   u1, u1 % 100 * 2, u1 % 100 * 2 + 1,
	   bench_letters(u1), bench_letters(u2),
	   (ARRAY['AAAAxxxx', 'HHHHxxxx', 'OOOOxxxx', 'VVVVxxxx'])[1 + r % 4]
FROM (SELECT r,
			 (row_number() OVER (ORDER BY hashint8extended(r, :stream), r) - 1)::int AS u1,
			 (row_number() OVER (ORDER BY hashint8extended(r, :stream + 1), r) - 1)::int AS u2
	  FROM generate_series(1, :n) r) q
ORDER BY r;
VACUUM (ANALYZE, FREEZE) :w;
