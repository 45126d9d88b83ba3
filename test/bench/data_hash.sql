--
-- What every generator in this folder is made of: numbers that depend on a row
-- number and a stream number and on nothing else, so that two machines build
-- the same tables, in any order and however many processes take part.
--
-- The source of bits is PostgreSQL's own hashint8extended(row, stream).  The
-- transcendental functions below come from the C library, whose last bit may
-- differ between libraries; every column rounds it away to int or float4.
--
-- bench_u(row, stream)      uniform on (0, 1), never 0 or 1: 53 bits
-- bench_normal(row, stream) standard normal by Box and Muller, from the streams
--                           `stream` and `stream + 1`
-- bench_below(n, row, stream), bench_skewed(n, skew, row, stream), bench_pick(names, row, stream)
--                           one of 0 … n-1, evenly and not; one of the names
--
-- The second group makes exact sums of floats, for the companion queries named
-- *.exact.sql.  A cast from float to numeric keeps 6 or 15 digits, so it will
-- not do.  x is cut into two integers, in units of 2^-40 and 2^-80, which
-- PostgreSQL adds up exactly: exact for |x| < 2^23 as long as x is a multiple
-- of 2^-80, which holds for every float4 that is 0 or at least 2^-57 in size.
--
SET client_min_messages = warning;

CREATE OR REPLACE FUNCTION bench_u(i int8, stream int8) RETURNS float8
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT ((hashint8extended(i, stream) & 9007199254740991)::float8 + 0.5)
		* (1.0::float8 / 9007199254740992)
$$;

CREATE OR REPLACE FUNCTION bench_normal(i int8, stream int8) RETURNS float8
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT sqrt(-2 * ln(bench_u(i, stream))) * cos(2 * pi() * bench_u(i, stream + 1))
$$;

-- one of 0 … n-1
CREATE OR REPLACE FUNCTION bench_below(n int, r int8, stream int8) RETURNS int
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT floor(n * bench_u(r, stream))::int
$$;

CREATE OR REPLACE FUNCTION bench_pick(names text[], r int8, stream int8) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT names[1 + bench_below(cardinality(names), r, stream)]
$$;

-- Low numbers are the frequent ones; 0 alone has a share of (1 / n) ^ (1 / skew).
CREATE OR REPLACE FUNCTION bench_skewed(n int, skew float8, r int8, stream int8) RETURNS int
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT floor(n * power(bench_u(r, stream), skew))::int
$$;

CREATE OR REPLACE FUNCTION bench_hi(x float8) RETURNS int8
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT trunc(x * 1099511627776)::int8
$$;

CREATE OR REPLACE FUNCTION bench_lo(x float8) RETURNS int8
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT ((x * 1099511627776 - trunc(x * 1099511627776)) * 1099511627776)::int8
$$;

-- the exact sum from sum(bench_hi(x)) and sum(bench_lo(x))
CREATE OR REPLACE FUNCTION bench_sum(hi numeric, lo numeric) RETURNS numeric
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT hi * 0.0000000000009094947017729282379150390625
		 + lo * 0.00000000000000000000000082718061255302767487140869206996285356581211090087890625
$$;
