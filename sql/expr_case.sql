-- CASE and COALESCE over every class of values.
CREATE TABLE expr_case (id int NOT NULL, k int, i int, b bool, f float8, p numeric(10,2), q numeric(10,4), u numeric, d date, ts timestamp, t text, s text, c char(3));
INSERT INTO expr_case
SELECT i, i % 6, nullif(i % 10, 4), nullif(i % 3, 2) = 1, nullif(i % 9, 0) / 2.0, nullif(i % 50, 7) / 4.0, nullif(i % 30, 3) / 8.0, nullif(round(i % 20 / 4.0, i % 3), 1),
	date '2024-01-01' + nullif(i % 5, 1), timestamp '2024-01-01' + interval '1 hour' * nullif(i % 8, 2),
	nullif('t' || i % 4, 't1'), 'a longer text ' || i % 3, nullif('c' || i % 4, 'c2')
FROM generate_series(1, 20000) i;
ANALYZE expr_case;

SET gpudb.force = on;
SET gpudb.debug_require = require;

SELECT CASE WHEN i < 3 THEN 'low'::text WHEN i < 7 THEN 'middle' ELSE 'high' END AS size, count(*), sum(i) FROM expr_case GROUP BY 1 ORDER BY 1;
SELECT CASE k WHEN 0 THEN 10 WHEN 1 THEN 20 WHEN i THEN 30 END AS r, count(*) FROM expr_case GROUP BY 1 ORDER BY 1;
SELECT CASE i WHEN 1 THEN 1 WHEN NULL THEN 2 ELSE 3 END AS r, count(*) FROM expr_case GROUP BY 1 ORDER BY 1;
SELECT CASE WHEN b THEN 1 WHEN NOT b THEN 0 END AS r, count(*) FROM expr_case GROUP BY 1 ORDER BY 1;
SELECT CASE WHEN b THEN f ELSE -1 END AS r, count(*) FROM expr_case GROUP BY 1 ORDER BY 1;
SELECT CASE WHEN k < 3 THEN d END AS r, count(*) FROM expr_case GROUP BY 1 ORDER BY 1;
SELECT CASE WHEN k < 3 THEN ts ELSE timestamp '2000-01-01' END AS r, count(*) FROM expr_case GROUP BY 1 ORDER BY 1;
SELECT CASE WHEN k < 2 THEN t WHEN k < 4 THEN s ELSE t END AS r, count(*) FROM expr_case GROUP BY 1 ORDER BY 1;
SELECT CASE WHEN k = 0 THEN b ELSE i > 5 END AS r, count(*) FROM expr_case GROUP BY 1 ORDER BY 1;
SELECT CASE WHEN CASE WHEN k > 3 THEN b ELSE i IS NULL END THEN CASE k WHEN 5 THEN 1 ELSE 2 END ELSE 3 END AS r, count(*) FROM expr_case GROUP BY 1 ORDER BY 1;

-- sums of branches with one scale and with several
SELECT sum(CASE WHEN k = 1 THEN p ELSE 0 END), sum(CASE WHEN k = 1 THEN p END), sum(CASE WHEN k = 1 THEN p ELSE q END), sum(CASE WHEN b THEN 1 ELSE 0 END) FROM expr_case;
SELECT k, sum(CASE WHEN i > 5 THEN p * (1 - q) ELSE 0 END), avg(CASE WHEN i > 5 THEN p END), max(CASE WHEN i > 5 THEN p END) FROM expr_case GROUP BY k ORDER BY k;
SELECT sum(CASE WHEN k = 1 THEN u ELSE p END), sum(CASE WHEN k = 99 THEN q ELSE p END), sum(CASE WHEN i = 1 THEN 1.5 WHEN i = 2 THEN 2.25 ELSE 0 END) FROM expr_case;
SELECT min(CASE WHEN b THEN i ELSE -i END), max(CASE WHEN b THEN d ELSE '2030-01-01' END), count(CASE WHEN i = 1 THEN true END) FROM expr_case;
SELECT min(CASE k WHEN 1 THEN f WHEN 2 THEN f * 2 ELSE 0.25 END), max(CASE k WHEN 1 THEN f WHEN 2 THEN f * 2 ELSE 0.25 END) FROM expr_case;

-- COALESCE
SELECT COALESCE(i, -1) AS r, count(*) FROM expr_case GROUP BY 1 ORDER BY 1;
SELECT COALESCE(t, s) AS r, count(*) FROM expr_case GROUP BY 1 ORDER BY 1;
SELECT COALESCE(t, 'none') AS r, count(*) FROM expr_case GROUP BY 1 ORDER BY 1;
SELECT COALESCE(b, false) AS r, count(*) FROM expr_case GROUP BY 1 ORDER BY 1;
SELECT COALESCE(d, ts::date, '2000-01-01') IS NULL AS r, count(*) FROM (SELECT d, ts FROM expr_case) e GROUP BY 1;
SELECT sum(COALESCE(p, 0)), sum(COALESCE(p, q, 0)), sum(COALESCE(i, k)), sum(COALESCE(u, p)), count(COALESCE(i, NULL)), avg(COALESCE(p, 0.5)) FROM expr_case;
SELECT count(*), sum(id) FROM expr_case WHERE COALESCE(b, i > 5);
SELECT count(*), sum(id) FROM expr_case WHERE COALESCE(p, 0) = 0;
SELECT count(*), sum(id) FROM expr_case WHERE COALESCE(t, 't1') = 't1';
SELECT count(*), sum(id) FROM expr_case WHERE CASE WHEN p IS NULL THEN q > 1 ELSE p > q END;
SELECT count(*), sum(id) FROM expr_case WHERE CASE WHEN b THEN i END = 3;
SELECT id, i, k FROM expr_case WHERE CASE k WHEN 0 THEN i = 0 WHEN 1 THEN i = 7 END AND id < 200 ORDER BY id;

-- kin of them that may stay with PostgreSQL
SET gpudb.debug_require = allow;
SELECT NULLIF(i, 3) AS r, count(*) FROM expr_case GROUP BY 1 ORDER BY 1;
SELECT sum(GREATEST(i, k)), sum(LEAST(p, q)) FROM expr_case;
SELECT CASE c WHEN 'c1' THEN 'one' ELSE c END AS r, count(*) FROM expr_case GROUP BY 1 ORDER BY 1;
SELECT CASE WHEN k = 1 THEN c END AS r, count(*) FROM expr_case GROUP BY 1 ORDER BY 1;
DROP TABLE expr_case;
