--
-- O'Neil, O'Neil and Chen 2007: the Star Schema Benchmark, revision 3.
--
--   psql -v sf=1 -f data_ssb.sql
--   psql -v sf=1 -v apart=1 -f data_ssb.sql      all but the rows of lineorder, for who loads these in parts; prints
--                                                lines, customers, suppliers, parts and orders
--
--   lineorder     6,000,000 SF lines, seven orders of 1, 2 … 7 lines in turn
--   ddate         2,556 days from 1992-01-01
--   ssb_customer  30,000 SF
--   ssb_supplier  2,000 SF
--   ssb_part      200,000 (1 + log2 SF), the logarithm rounded down; 200,000 SF below SF 1
--
-- A prefix where TPC-H has a table of that name, and no table named date.
-- Names, types and distributions are the benchmark's: keys, cities, brands,
-- quantities and discounts are uniform and independent of each other; a price
-- follows from its part; orders end on 1998-08-02.  Money is in cents.  Texts
-- that no query reads (addresses, phones, colours) have its shape only.
--
\if :{?sf}
\else
\set sf 1
\endif
\ir data_hash.sql

SELECT greatest(1, round(6000000 * :sf::numeric))::int AS lines,
	   greatest(1, round(30000 * :sf::numeric))::int AS customers,
	   greatest(1, round(2000 * :sf::numeric))::int AS suppliers,
	   CASE WHEN :sf >= 1 THEN 200000 * (1 + floor(log(2, :sf::numeric)))
			ELSE greatest(1, round(200000 * :sf::numeric)) END::int AS parts \gset
SELECT (:lines + 27) / 28 * 7 AS orders \gset

DROP TABLE IF EXISTS lineorder, ddate, ssb_customer, ssb_supplier, ssb_part;

-- TPC-H's retail price of a part
CREATE OR REPLACE FUNCTION bench_price(partkey int) RETURNS int
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT 90000 + partkey / 10 % 20001 + 100 * (partkey % 1000)
$$;

-- nation number: five for each region in turn
CREATE OR REPLACE FUNCTION bench_nation(i int) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT ('{ALGERIA,ETHIOPIA,KENYA,MOROCCO,MOZAMBIQUE,
			  ARGENTINA,BRAZIL,CANADA,PERU,UNITED STATES,
			  CHINA,INDIA,INDONESIA,JAPAN,VIETNAM,
			  FRANCE,GERMANY,ROMANIA,RUSSIA,UNITED KINGDOM,
			  EGYPT,IRAN,IRAQ,JORDAN,SAUDI ARABIA}'::text[])[1 + i]
$$;
CREATE OR REPLACE FUNCTION bench_region(nation int) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT ('{AFRICA,AMERICA,ASIA,EUROPE,MIDDLE EAST}'::text[])[1 + nation / 5]
$$;
-- ten cities of a nation: UNITED KI0 … UNITED KI9
CREATE OR REPLACE FUNCTION bench_city(nation int, city int) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT rpad(left(bench_nation(nation), 9), 9) || city
$$;
CREATE OR REPLACE FUNCTION bench_phone(nation int, r int8, stream int8) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT format('%s-%s-%s-%s', nation + 10, 100 + bench_below(900, r, stream),
				  100 + bench_below(900, r, stream + 1), 1000 + bench_below(9000, r, stream + 2))
$$;

CREATE TABLE ddate(
	d_datekey int NOT NULL, d_date char(18) NOT NULL, d_dayofweek char(9) NOT NULL, d_month char(9) NOT NULL,
	d_year int NOT NULL, d_yearmonthnum int NOT NULL, d_yearmonth char(7) NOT NULL,
	d_daynuminweek int NOT NULL, d_daynuminmonth int NOT NULL, d_daynuminyear int NOT NULL,
	d_monthnuminyear int NOT NULL, d_weeknuminyear int NOT NULL, d_sellingseason varchar(12) NOT NULL,
	d_lastdayinweekfl boolean NOT NULL, d_lastdayinmonthfl boolean NOT NULL,
	d_holidayfl boolean NOT NULL, d_weekdayfl boolean NOT NULL,
	PRIMARY KEY (d_datekey));
INSERT INTO ddate
SELECT to_char(d, 'YYYYMMDD')::int, to_char(d, 'FMMonth FMDD, YYYY'), to_char(d, 'FMDay'), to_char(d, 'FMMonth'),
	   year, year * 100 + month, to_char(d, 'MonYYYY'),
	   1 + dow, extract(day FROM d), doy,
	   month, (doy - 1) / 7 + 1,
	   ('{Winter,Winter,Winter,Spring,Summer,Summer,Summer,Summer,Fall,Fall,Christmas,Christmas}'::text[])[month],
	   dow = 6, month <> extract(month FROM d + 1),
	   to_char(d, 'MMDD') IN ('0101', '0120', '0220', '0530', '0704', '0905', '1010', '1111', '1124', '1225'),
	   dow BETWEEN 1 AND 5
FROM (SELECT d, extract(year FROM d)::int AS year, extract(month FROM d)::int AS month,
			 extract(doy FROM d)::int AS doy, extract(dow FROM d)::int AS dow
	  FROM (SELECT date '1992-01-01' + i AS d FROM generate_series(0, 2555) i) days) q;

CREATE TABLE ssb_customer(
	c_custkey int NOT NULL, c_name varchar(25) NOT NULL, c_address varchar(25) NOT NULL,
	c_city char(10) NOT NULL, c_nation char(15) NOT NULL, c_region char(12) NOT NULL,
	c_phone char(15) NOT NULL, c_mktsegment char(10) NOT NULL,
	PRIMARY KEY (c_custkey));
INSERT INTO ssb_customer
SELECT r, 'Customer#' || lpad(r::text, 9, '0'), to_hex(hashint8extended(r, 401)),
	   bench_city(nation, bench_below(10, r, 403)), bench_nation(nation), bench_region(nation),
	   bench_phone(nation, r, 404),
	   bench_pick('{AUTOMOBILE,BUILDING,FURNITURE,HOUSEHOLD,MACHINERY}', r, 407)
FROM (SELECT r, bench_below(25, r, 402) AS nation FROM generate_series(1, :customers) r OFFSET 0) q;

CREATE TABLE ssb_supplier(
	s_suppkey int NOT NULL, s_name char(25) NOT NULL, s_address varchar(25) NOT NULL,
	s_city char(10) NOT NULL, s_nation char(15) NOT NULL, s_region char(12) NOT NULL,
	s_phone char(15) NOT NULL,
	PRIMARY KEY (s_suppkey));
INSERT INTO ssb_supplier
SELECT r, 'Supplier#' || lpad(r::text, 9, '0'), to_hex(hashint8extended(r, 411)),
	   bench_city(nation, bench_below(10, r, 413)), bench_nation(nation), bench_region(nation),
	   bench_phone(nation, r, 414)
FROM (SELECT r, bench_below(25, r, 412) AS nation FROM generate_series(1, :suppliers) r OFFSET 0) q;

-- MFGR#1 … 5; of each the categories MFGR#11 … 15; of each the brands MFGR#111 … 1140
CREATE TABLE ssb_part(
	p_partkey int NOT NULL, p_name varchar(22) NOT NULL,
	p_mfgr char(6) NOT NULL, p_category char(7) NOT NULL, p_brand1 char(9) NOT NULL,
	p_color varchar(11) NOT NULL, p_type varchar(25) NOT NULL, p_size int NOT NULL, p_container char(10) NOT NULL,
	PRIMARY KEY (p_partkey));
INSERT INTO ssb_part
SELECT r, color || ' ' || bench_pick(colors, r, 425),
	   left(category, 6), category, category || 1 + bench_below(40, r, 423),
	   color,
	   bench_pick('{STANDARD,SMALL,MEDIUM,LARGE,ECONOMY,PROMO}', r, 426) || ' '
	   || bench_pick('{ANODIZED,BURNISHED,PLATED,POLISHED,BRUSHED}', r, 427) || ' '
	   || bench_pick('{TIN,NICKEL,BRASS,STEEL,COPPER}', r, 428),
	   1 + bench_below(50, r, 429),
	   bench_pick('{SM,LG,MED,JUMBO,WRAP}', r, 430) || ' '
	   || bench_pick('{CASE,BOX,BAG,JAR,PKG,PACK,CAN,DRUM}', r, 431)
FROM (SELECT r, 'MFGR#' || 1 + bench_below(5, r, 421) || 1 + bench_below(5, r, 422) AS category,
			 bench_pick(colors, r, 424) AS color, colors
	  FROM (SELECT '{almond,antique,azure,beige,bisque,black,blue,brown,chiffon,coral,cream,cyan,
					 forest,ghost,gold,green,grey,honeydew,indian,ivory,khaki,lace,lavender,lemon,
					 linen,magenta,maroon,metallic,mint,misty,navajo,navy,olive,orange,orchid,pale,
					 peach,peru,pink,plum,powder,puff,purple,red,rose,rosy,royal,saddle,
					 salmon,sandy,sienna,sky,slate,smoke,snow,spring,steel,tan,thistle,tomato,
					 turquoise,violet,wheat,white,yellow}'::text[] AS colors) names,
		   generate_series(1, :parts) r OFFSET 0) q;

CREATE TABLE lineorder(
	lo_orderkey int NOT NULL, lo_linenumber int NOT NULL,
	lo_custkey int NOT NULL, lo_partkey int NOT NULL, lo_suppkey int NOT NULL, lo_orderdate int NOT NULL,
	lo_orderpriority char(15) NOT NULL, lo_shippriority char(1) NOT NULL,
	lo_quantity int NOT NULL, lo_extendedprice int NOT NULL, lo_ordtotalprice int NOT NULL,
	lo_discount int NOT NULL, lo_revenue int NOT NULL, lo_supplycost int NOT NULL, lo_tax int NOT NULL,
	lo_commitdate int NOT NULL, lo_shipmode char(10) NOT NULL);

\if :{?apart}
\echo :lines :customers :suppliers :parts :orders
\else
-- Of seven orders in turn the first line is line 1, 2, 4, 7, 11, 16 and 22 of their 28.
INSERT INTO lineorder
SELECT k, line, custkey, partkey, suppkey, to_char(orderdate, 'YYYYMMDD')::int,
	   orderpriority, '0', quantity, extendedprice, totalprice, discount, revenue, 6 * price / 10, tax,
	   to_char(orderdate + commit, 'YYYYMMDD')::int, shipmode
FROM (SELECT k, 28 * ((k - 1) / 7) + k7 * (k7 + 1) / 2 AS before, k7 + 1 AS size,
			 1 + bench_below(:customers, k, 441) AS custkey,
			 date '1992-01-01' + bench_below(2406, k, 442) AS orderdate,
			 bench_pick('{1-URGENT,2-HIGH,3-MEDIUM,4-NOT SPECI,5-LOW}', k, 443) AS orderpriority
	  FROM (SELECT k, (k - 1) % 7 AS k7 FROM generate_series(1, :orders) k) q
	  OFFSET 0) orders,
LATERAL (
	SELECT *, sum(revenue * (100 + tax) / 100) OVER () AS totalprice
	FROM (SELECT *, extendedprice * (100 - discount) / 100 AS revenue
		  FROM (SELECT *, price * quantity AS extendedprice
				FROM (SELECT *, bench_price(partkey) AS price
					  FROM (SELECT line,
								   1 + bench_below(:parts, before + line, 444) AS partkey,
								   1 + bench_below(:suppliers, before + line, 445) AS suppkey,
								   1 + bench_below(50, before + line, 446) AS quantity,
								   bench_below(11, before + line, 447) AS discount,
								   bench_below(9, before + line, 448) AS tax,
								   30 + bench_below(61, before + line, 449) AS commit,
								   bench_pick('{REG AIR,AIR,RAIL,SHIP,TRUCK,MAIL,FOB}', before + line, 450) AS shipmode
							FROM generate_series(1, size) line
							WHERE before + line <= :lines
							OFFSET 0) drawn) priced) extended) q) lines;
ALTER TABLE lineorder ADD PRIMARY KEY (lo_orderkey, lo_linenumber);
\endif

VACUUM (ANALYZE, FREEZE) ddate;
VACUUM (ANALYZE, FREEZE) ssb_customer;
VACUUM (ANALYZE, FREEZE) ssb_supplier;
VACUUM (ANALYZE, FREEZE) ssb_part;
VACUUM (ANALYZE, FREEZE) lineorder;
