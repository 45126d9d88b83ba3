-- AND, OR, NOT and the boolean tests in three-valued logic, and what is evaluated at all.
CREATE TABLE expr_logic (id int NOT NULL, a bool, b bool, c bool, x int, y int, zero int);
INSERT INTO expr_logic
SELECT i, (ARRAY[true, false, NULL])[i % 3 + 1], (ARRAY[true, false, NULL])[i / 3 % 3 + 1], (ARRAY[true, false, NULL])[i / 9 % 3 + 1],
	i % 10, nullif(i % 7, 3), 0
FROM generate_series(1, 27000) i;
ANALYZE expr_logic;

SET gpudb.force = on;
SET gpudb.debug_require = require;

-- truth tables
SELECT a, b,
	count(*) FILTER (WHERE a AND b) AS and_t, count(*) FILTER (WHERE NOT (a AND b)) AS and_f, count(*) FILTER (WHERE (a AND b) IS NULL) AS and_u,
	count(*) FILTER (WHERE a OR b) AS or_t, count(*) FILTER (WHERE NOT (a OR b)) AS or_f, count(*) FILTER (WHERE (a OR b) IS NULL) AS or_u,
	count(*) FILTER (WHERE a = b) AS eq_t, count(*) FILTER (WHERE a <> b) AS eq_f
FROM expr_logic GROUP BY a, b ORDER BY a, b;
SELECT a, b, c,
	count(*) FILTER (WHERE a AND b AND c) AS and3, count(*) FILTER (WHERE a OR b OR c) AS or3,
	count(*) FILTER (WHERE a AND (b OR NOT c)) AS mixed, count(*) FILTER (WHERE NOT (a OR (b AND NOT c))) AS negated
FROM expr_logic GROUP BY a, b, c ORDER BY a, b, c;
SELECT a,
	count(*) FILTER (WHERE a IS TRUE) AS is_t, count(*) FILTER (WHERE a IS NOT TRUE) AS not_t,
	count(*) FILTER (WHERE a IS FALSE) AS is_f, count(*) FILTER (WHERE a IS NOT FALSE) AS not_f,
	count(*) FILTER (WHERE a IS UNKNOWN) AS is_u, count(*) FILTER (WHERE a IS NOT UNKNOWN) AS not_u,
	count(*) FILTER (WHERE a IS NULL) AS isnull, count(*) FILTER (WHERE a IS NOT NULL) AS notnull,
	count(*) FILTER (WHERE (a OR b) IS NOT TRUE) AS deep
FROM expr_logic GROUP BY a ORDER BY a;

-- the same as filters
SELECT count(*), sum(id) FROM expr_logic WHERE a;
SELECT count(*), sum(id) FROM expr_logic WHERE NOT a;
SELECT count(*), sum(id) FROM expr_logic WHERE a AND NOT b;
SELECT count(*), sum(id) FROM expr_logic WHERE a OR b OR c;
SELECT count(*), sum(id) FROM expr_logic WHERE NOT (a AND b AND c);
SELECT count(*), sum(id) FROM expr_logic WHERE (a AND b) IS UNKNOWN;
SELECT count(*), sum(id) FROM expr_logic WHERE (a AND b) IS NOT FALSE AND c IS NOT TRUE;
SELECT count(*), sum(id) FROM expr_logic WHERE a OR y IS NULL;
SELECT count(*), sum(id) FROM expr_logic WHERE y IS NOT NULL AND (a IS NULL OR x < 3);
SELECT count(*), sum(id) FROM expr_logic WHERE (y > 3) IS NOT TRUE;
SELECT count(*), sum(id) FROM expr_logic WHERE (y > 3) IS UNKNOWN;
SELECT count(*), sum(id) FROM expr_logic WHERE NOT (y > 3 OR x > 5);
SELECT count(*), sum(id) FROM expr_logic WHERE (x > 5) = (y > 3);
SELECT count(*) FROM expr_logic WHERE true;
SELECT count(*) FROM expr_logic WHERE a AND NULL;
SELECT count(*) FROM expr_logic WHERE a OR NULL;
SELECT id, a, b, c FROM expr_logic WHERE (a OR b) AND c IS NULL AND id < 40 ORDER BY id;

-- what an earlier condition rules out is not evaluated
SELECT count(*), sum(id) FROM expr_logic WHERE x <> 0 AND 10 / x > 1;
SELECT count(*), sum(id) FROM expr_logic WHERE (x <> 0 AND 10 / x > 1) OR y = 2;
SELECT count(*), sum(id) FROM expr_logic WHERE x = 0 OR 10 / x > 1;
SELECT count(*), sum(id) FROM expr_logic WHERE NOT (x = 0 OR 10 / x > 1);
SELECT count(*), sum(id) FROM expr_logic WHERE (x = 0 OR 10 / x > 1) IS NOT TRUE;
SELECT count(*), sum(id) FROM expr_logic WHERE CASE WHEN x <> 0 THEN 10 / x > 1 ELSE false END;
SELECT count(*), sum(id) FROM expr_logic WHERE CASE x WHEN 0 THEN true ELSE 10 / x = 5 END;
SELECT count(*), sum(id) FROM expr_logic WHERE CASE WHEN x = 0 THEN a WHEN 10 / x > 4 THEN b ELSE c END;
SELECT count(*), sum(id) FROM expr_logic WHERE x > 0 AND (10 / x > 4 OR 10 % x = 1);
SELECT count(*), sum(id) FROM expr_logic WHERE x > 0 AND 10 / x > 1 AND y > 0 AND 10 / y > 2;
SELECT count(*) FROM expr_logic WHERE x < 0 AND 10 / zero > 1;
SELECT count(*) FROM expr_logic WHERE zero <> 0 AND 10 / zero > 1;
SELECT sum(100 / x) FILTER (WHERE x <> 0) FROM expr_logic;
SELECT sum(CASE WHEN x <> 0 THEN 100 / x END), sum(CASE WHEN x = 0 THEN -1 ELSE 100 / x END) FROM expr_logic;
SELECT sum(COALESCE(y, 100 / zero)) FROM expr_logic WHERE y IS NOT NULL;
SELECT CASE WHEN x <> 0 THEN 100 / x END AS q, count(*) FROM expr_logic GROUP BY 1 ORDER BY 1;
SELECT CASE WHEN y IS NULL THEN NULL WHEN y = 0 THEN 1 ELSE 12 / y END AS q, count(*), sum(CASE WHEN x > 0 THEN 12 / x END)
FROM expr_logic GROUP BY 1 ORDER BY 1;
-- NULL / 0 is NULL
SELECT count(*), count(y / NULLIF(zero, 1)) FROM expr_logic WHERE y IS NULL;

-- of conditions written side by side PostgreSQL evaluates the cheaper one first
SELECT count(*), sum(id) FROM expr_logic WHERE 10 / x > 1 AND x <> 0;
SELECT count(*), sum(id) FROM expr_logic WHERE 10 / x + 10 / x > 1 AND x <> 0 AND 10 / x > 1;

-- errors of what is evaluated
SET gpudb.debug_require = allow;
SELECT count(*) FROM expr_logic WHERE 10 / x > 1;
\echo :SQLSTATE
SELECT count(*) FROM expr_logic WHERE x >= 0 AND 10 / x > 1;
SELECT count(*) FROM expr_logic WHERE x = 1 OR 10 / x > 1;
SELECT count(*) FROM expr_logic WHERE (10 / x > 1) IS NOT TRUE;
SELECT count(*) FROM expr_logic WHERE CASE WHEN 10 / x > 1 THEN true ELSE false END;
SELECT sum(COALESCE(y, 100 / zero)) FROM expr_logic;
SELECT sum(100 / x) FILTER (WHERE y > 0) FROM expr_logic;
SELECT 100 / x, count(*) FROM expr_logic GROUP BY 1 ORDER BY 1;
SELECT id FROM expr_logic WHERE 100 % zero = 1;
DROP TABLE expr_logic;
