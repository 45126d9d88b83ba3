-- Writes docs/sql-support.md:  psql -XqAt -f test/sql_support.sql >docs/sql-support.md     on a server with gpudb
\pset format unaligned
\pset tuples_only on
SELECT $md$# What runs on gpudb nodes

Written by `test/sql_support.sql` from the lists of the compiler (`src/compile/opmap.c`); the view
`gpudb.sql_support` shows the same. What is not here stays with PostgreSQL; `gpudb.why_not(query)` says why.

## Types
$md$;
SELECT string_agg('`' || name || '`', ', ' ORDER BY name COLLATE "C") || '.' FROM gpudb.sql_support WHERE kind = 'type';
SELECT $md$
Also every enum, and every domain over these. Columns of any other type pass through a GpuScan. `GROUP BY interval`
stays with PostgreSQL. `bit(n)` of at most 63 bits is aggregated, grouped by and returned; PostgreSQL compares and sorts it. Texts compare in the order of the C collation; they are sorted, and equal, under any deterministic one.

## Forms of expression

Columns, constants, parameters, the results of uncorrelated subqueries, stable functions of these. `AND`, `OR`, `NOT`,
`IS [NOT] NULL`, `IS [NOT] TRUE`, `FALSE` and `UNKNOWN`, `IS [NOT] DISTINCT FROM`, `BETWEEN`, `IN`, `ANY` and `ALL`
over arrays that are constant in an execution, `CASE`, `COALESCE`, `NULLIF`, `GREATEST`, `LEAST`.

## Operators
$md$;
SELECT '- ' || string_agg('`' || name || '`', ', ' ORDER BY name COLLATE "C")
FROM (SELECT DISTINCT regexp_replace(name, '\(.*', '') AS operator, name FROM gpudb.sql_support WHERE kind = 'operator') o
GROUP BY operator ORDER BY operator COLLATE "C";
SELECT $md$
## Casts
$md$;
SELECT string_agg('`' || name || '`', ', ' ORDER BY name COLLATE "C") || '.' FROM gpudb.sql_support WHERE kind = 'cast';
SELECT $md$
## Functions
$md$;
SELECT string_agg('`' || name || '`', ', ' ORDER BY name COLLATE "C") || '.' FROM gpudb.sql_support WHERE kind = 'function';
SELECT $md$
LIKE and ILIKE take a constant pattern, `substring` and `left` constant numbers, `extract` and `date_part` the fields
year, quarter, month, day, dow, isodow, doy, hour, minute and second (of a `timestamptz` in the time zone UTC).

## Aggregates
$md$;
SELECT string_agg('`' || name || '`', ', ' ORDER BY name COLLATE "C") || '.' FROM gpudb.sql_support WHERE kind = 'aggregate';
SELECT $md$
Each with `FILTER`, in any number of groups that fits `gpudb.join_memory`; not with `ORDER BY` inside. Of more groups, `count`, `sum`, `avg`, `min`, `max`, `bool_and` and `bool_or` of columns,
without `FILTER`, are computed by a GpuSort. Where all aggregates of a query are over `DISTINCT`
values, or `min` or `max`, without `FILTER`, they may be any: PostgreSQL computes them of rows that a GpuAgg has made distinct. Of floats and
numerics without a declared scale, whose equal values may print differently, that is `count` alone. `count`, `sum`, `avg`,
`min`, `max`, `bool_and` and `bool_or` of distinct values also stand beside such of all rows, with `FILTER`: a GpuSort then computes them all.
`SELECT DISTINCT` of a relation's rows, joined or not, is a `GROUP BY` of all its columns. `GROUPING SETS`, `ROLLUP` and `CUBE`, of 32 sets at
most, are a grouping for each set, by a GpuSort where values are wanted in order. `gpudb.exact_sum` and `gpudb.exact_avg` of floats are computed, too.

Percentiles, of one constant fraction or an array of at most 64, in either direction: of all rows by counting, of integers, floats, booleans, dates
and times; else, as `mode()`, by a GpuSort, of all types that can be sorted (below), in any number of groups, alone or beside these. `gpudb.median(x)`
is one of them.

## Order

`ORDER BY`, with `LIMIT` and `OFFSET`, on any number of keys up to 16 of these types but enums, texts in the order of any deterministic collation, in their types' own order; all that is wanted of the rows must be
of these types; for the least and largest of a frame or a group, and GpuSortAgg, numerics need a declared scale. The window functions `row_number()`, `rank()`, `dense_rank()`, `ntile()`, `lag()`, `lead()` by a constant distance, `first_value()` and `last_value()`,
and `count`, `sum` and `avg`, `min` and `max` over frames that begin and end with the partition, the row's peers, the row, or with `ROWS` a constant number of rows away, are computed with it, if a
query has one window, and so are conditions on them; of others PostgreSQL's WindowAgg stands above the sorted rows. Aggregates over a subquery whose rows are sorted so are a GpuSortAgg,
if they are none that sort, and there are no parameters in them. What PostgreSQL sorts for its own merge joins a GpuSort sorts, too. Set operations, `FOR UPDATE` and queries with volatile functions are left to PostgreSQL.$md$;
