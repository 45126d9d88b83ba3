--
-- Three of TPC-H's tables from PostgreSQL alone, for who cannot have tpchgen-cli:
--
--   psql -qAtX -v sf=1 -v table=lineitem -f tpch_generate.sql       rows in CSV with a header; also orders, customer
--
-- Keys, dates, quantities, prices, discounts, flags, segments and priorities
-- are distributed, and depend on each other, as TPC-H (clause 4.2.3) has them,
-- so that its queries over these tables select about as much, but no value is
-- TPC-H's own.  Texts that no such query reads have its lengths only, and an
-- order's status and total price do not follow from its lines.
--
-- Every number comes from hashint8extended(row, stream), cut into slices of
-- 16 bits: (slice * n) >> 16 is one of 0 ... n-1.  Two machines make the same
-- rows.  OFFSET 0 keeps PostgreSQL from hashing once for each use of a slice;
-- memoizing rows that never come again would take half as long again.
--
SET client_min_messages = warning;
SET enable_memoize = off;
SET jit = off;
SELECT :'table' = 'customer' AS is_customer, :'table' = 'orders' AS is_orders, :'table' = 'lineitem' AS is_lineitem,
	   greatest(3, round(150000 * :sf::numeric))::int8 AS customers,
	   greatest(1, round(200000 * :sf::numeric))::int8 AS parts,
	   greatest(1, round(10000 * :sf::numeric))::int8 AS suppliers,
	   greatest(1, round(1500000 * :sf::numeric))::int8 AS orders \gset

CREATE FUNCTION pg_temp.slice(hash int8, place int, n int8) RETURNS int8 LANGUAGE sql IMMUTABLE STRICT AS $$
	SELECT ((hash >> place) & 65535) * n >> 16
$$;

-- long_slice takes 31 bits instead, for numbers beyond 65,536.
CREATE FUNCTION pg_temp.long_slice(hash int8, place int, n int8) RETURNS int8 LANGUAGE sql IMMUTABLE STRICT AS $$
	SELECT ((hash >> place) & 2147483647) * n >> 31
$$;

CREATE FUNCTION pg_temp.words(start int8, length int8) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$
	SELECT substr('carefully regular deposits sleep furiously among the ironic, final accounts; quickly pending packages haggle '
		|| 'above the bold theodolites, while express ideas cajole blithely across the slyly even requests of unusual foxes', start::int,
		length::int)
$$;

\if :is_customer
COPY (
	SELECT i AS c_custkey, 'Customer#' || lpad(i::text, 9, '0') AS c_name,
		   pg_temp.words(1 + pg_temp.slice(h2, 40, 100), 10 + i % 31) AS c_address,
		   i % 25 AS c_nationkey, 10 + i % 25 || to_char(pg_temp.long_slice(h2, 0, 2147483647), 'FM"-"000"-"000"-"0000') AS c_phone,
		   (pg_temp.long_slice(h, 0, 1099999) - 99999) * 0.01 AS c_acctbal,
		   ('{AUTOMOBILE,BUILDING,FURNITURE,MACHINERY,HOUSEHOLD}'::text[])[1 + pg_temp.slice(h, 32, 5)] AS c_mktsegment,
		   pg_temp.words(1 + pg_temp.slice(h, 48, 100), 29 + i % 88) AS c_comment
	FROM generate_series(1, :customers) i,
		LATERAL (SELECT hashint8extended(i, 3) AS h, hashint8extended(i, 6) AS h2 OFFSET 0) hash
) TO STDOUT WITH (FORMAT csv, HEADER);
\endif

-- Eight keys of 32 are in use, and two customers of three have orders.
\if :is_orders
COPY (
	SELECT (i - 1) / 8 * 32 + (i - 1) % 8 + 1 AS o_orderkey, customer / 2 * 3 + customer % 2 + 1 AS o_custkey,
		   CASE WHEN day < 1169 THEN 'F' WHEN day > 1263 THEN 'O' ELSE 'P' END AS o_orderstatus,
		   (85000 + pg_temp.long_slice(h2, 30, 28000000)) * 0.01 AS o_totalprice, date '1992-01-01' + day::int AS o_orderdate,
		   ('{1-URGENT,2-HIGH,3-MEDIUM,4-NOT SPECIFIED,5-LOW}'::text[])[1 + pg_temp.slice(h, 16, 5)] AS o_orderpriority,
		   'Clerk#' || lpad((1 + i % 1000)::text, 9, '0') AS o_clerk, 0 AS o_shippriority,
		   pg_temp.words(1 + pg_temp.slice(h, 48, 100), 19 + i % 60) AS o_comment
	FROM generate_series(1, :orders) i,
		LATERAL (SELECT hashint8extended(i, 1) AS h, hashint8extended(i, 2) AS h2 OFFSET 0) hash,
		LATERAL (SELECT pg_temp.slice(h, 0, 2406) AS day, pg_temp.long_slice(h2, 0, :customers * 2 / 3) AS customer OFFSET 0) slices
) TO STDOUT WITH (FORMAT csv, HEADER);
\endif

-- An order has one to seven lines.  What was received by the day on which TPC-H's world stands still may have been returned.
\if :is_lineitem
COPY (
	SELECT (i - 1) / 8 * 32 + (i - 1) % 8 + 1 AS l_orderkey, part AS l_partkey,
		   (part + line * (:suppliers / 4 + (part - 1) / :suppliers)) % :suppliers + 1 AS l_suppkey, line AS l_linenumber, quantity AS l_quantity,
		   quantity * (90000 + part / 10 % 20001 + 100 * (part % 1000)) * 0.01 AS l_extendedprice,
		   pg_temp.slice(h, 32, 11) * 0.01 AS l_discount, pg_temp.slice(h, 48, 9) * 0.01 AS l_tax,
		   CASE WHEN received > date '1995-06-17' THEN 'N' WHEN h >> 31 & 1 = 0 THEN 'A' ELSE 'R' END AS l_returnflag,
		   CASE WHEN shipped > date '1995-06-17' THEN 'O' ELSE 'F' END AS l_linestatus,
		   shipped AS l_shipdate, ordered + 30 + pg_temp.slice(h2, 0, 61)::int AS l_commitdate, received AS l_receiptdate,
		   ('{DELIVER IN PERSON,COLLECT COD,NONE,TAKE BACK RETURN}'::text[])[1 + (h2 & 3)] AS l_shipinstruct,
		   ('{REG AIR,AIR,RAIL,SHIP,TRUCK,MAIL,FOB}'::text[])[1 + pg_temp.slice(h2, 2, 7)] AS l_shipmode,
		   pg_temp.words(1 + pg_temp.slice(h2, 20, 150), 10 + (h2 >> 40 & 31)) AS l_comment
	FROM generate_series(1, :orders) i,
		LATERAL (SELECT date '1992-01-01' + pg_temp.slice(hashint8extended(i, 1), 0, 2406)::int AS ordered,
						1 + pg_temp.slice(hashint8extended(i, 1), 32, 7) AS lines OFFSET 0) orders,
		generate_series(1, lines) line,
		LATERAL (SELECT hashint8extended(i * 8 + line, 4) AS h, hashint8extended(i * 8 + line, 5) AS h2 OFFSET 0) hash,
		LATERAL (SELECT 1 + pg_temp.long_slice(h, 0, :parts) AS part, 1 + pg_temp.slice(h2, 4, 50) AS quantity,
						ordered + 1 + pg_temp.slice(h2, 28, 121)::int AS shipped OFFSET 0) slices,
		LATERAL (SELECT shipped + 1 + pg_temp.slice(h2, 48, 30)::int AS received OFFSET 0) last
) TO STDOUT WITH (FORMAT csv, HEADER);
\endif
