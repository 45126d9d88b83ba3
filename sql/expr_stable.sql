-- Stable expressions and parameters: computed once, and an error in one only where PostgreSQL would raise it.
SET datestyle = ISO;
SET timezone = 'UTC';
CREATE TABLE expr_stable (id int NOT NULL, k int, a int, n numeric, f float8, t text COLLATE "C", d date, ts timestamp, tz timestamptz, u uuid, v interval);
INSERT INTO expr_stable
SELECT i, i % 7, nullif(i % 100, 9), nullif(i % 80, 4) / 4.0, nullif(i % 60, 3) / 8.0, nullif('row ' || i % 50, 'row 2'), current_date - 5000 + i, now()::timestamp - interval '1 hour' * i, now() - interval '1 minute' * i, md5((i % 40)::text)::uuid, interval '1 hour' * i
FROM generate_series(1, 10000) i;
CREATE TABLE expr_stable_empty (LIKE expr_stable);
CREATE TABLE expr_stable_one AS SELECT 1 AS one, 0 AS zero;
ANALYZE expr_stable, expr_stable_empty, expr_stable_one;
CREATE FUNCTION expr_stable_fail(int) RETURNS int LANGUAGE plpgsql STABLE AS $$ BEGIN RAISE EXCEPTION 'evaluated %', $1; END $$;
CREATE FUNCTION expr_stable_add(int) RETURNS int LANGUAGE sql STABLE AS $$ SELECT $1 + (SELECT one FROM expr_stable_one) $$;
SET gpudb.force = on;
SET gpudb.debug_require = require;
-- stable expressions; the transaction keeps now() still
BEGIN;
UPDATE expr_stable SET ts = now()::timestamp - interval '1 hour' * id, tz = now() - interval '1 minute' * id, d = current_date - 5000 + id;
SELECT count(*) FROM expr_stable WHERE tz > now() - interval '1 day';
SELECT count(*) FROM expr_stable WHERE tz >= now() - interval '1 day' AND tz < current_timestamp - interval '1 hour';
SELECT count(*) FROM expr_stable WHERE ts >= localtimestamp - interval '2 days';
SELECT count(*) FROM expr_stable WHERE d = current_date OR d = current_date + 1 OR d > 'tomorrow'::text::date + 4990;
SELECT count(*), sum(CASE WHEN d < current_date THEN 1 END), count(*) FILTER (WHERE d >= current_date - 7) FROM expr_stable;
SELECT d < current_date AS past, extract(year FROM d) = extract(year FROM now()) AS same, count(*) > 0 AS some FROM expr_stable WHERE abs(d - current_date) < 2 GROUP BY 1, 2 ORDER BY 1, 2;
SELECT count(*) FROM expr_stable WHERE d - current_date = 7;
SELECT max(d - current_date), min(current_date - d), max(GREATEST(d, current_date) - current_date) FROM expr_stable;
SELECT count(*) FROM expr_stable WHERE extract(day FROM d) = extract(day FROM current_date) AND d = current_date;
SELECT count(*) FROM expr_stable WHERE tz BETWEEN now() - interval '3 hours' AND now() - interval '2 hours' AND d::timestamp < now()::timestamp + interval '100 years';
SELECT count(*) FROM expr_stable WHERE v < now() - (now() - interval '1 day');
COMMIT;
SELECT count(*) FROM expr_stable WHERE a = expr_stable_add(4);
SELECT count(*) FROM expr_stable WHERE t = to_char(7, 'FM"row "99') OR a < length(current_database()) - length(current_database()) + 3;
-- a value that changes between two runs of one plan
SET plan_cache_mode = force_generic_plan;
PREPARE expr_stable_again AS SELECT count(*), sum(id) FROM expr_stable WHERE a = expr_stable_add(4);
EXECUTE expr_stable_again;
UPDATE expr_stable_one SET one = 6;
EXECUTE expr_stable_again;
PREPARE expr_stable_zone AS SELECT count(*) FROM expr_stable WHERE tz < (('2001-01-01 00:00'::text)::timestamptz + interval '100 years');
EXECUTE expr_stable_zone;
UPDATE expr_stable_one SET one = 1;
-- parameters in every place
PREPARE expr_stable_where(int, numeric, float8, text, date, uuid) AS
	SELECT count(*) FILTER (WHERE a > $1), count(*) FILTER (WHERE n = $2), count(*) FILTER (WHERE f < $3), count(*) FILTER (WHERE t >= $4), count(*) FILTER (WHERE d <= $5), count(*) FILTER (WHERE u = $6) FROM expr_stable;
EXECUTE expr_stable_where(50, 2.50, 3, 'row 3', '2000-01-01', md5('4')::uuid);
EXECUTE expr_stable_where(NULL, NULL, NULL, NULL, NULL, NULL);
EXECUTE expr_stable_where(-1, 0, 'NaN', '', 'infinity', md5('444')::uuid);
PREPARE expr_stable_math(int, numeric, float8) AS
	SELECT sum(a % $1), sum(abs(a - $1)), sum(a | $1), sum(round(n * $2, 1)), sum(n % $2), round(sum(sqrt(f + $3))::numeric, 8), sum(GREATEST(a, $1)), sum(LEAST(n, $2)), count(NULLIF(a, $1)), count(*) FILTER (WHERE a IS DISTINCT FROM $1) FROM expr_stable;
EXECUTE expr_stable_math(7, 1.5, 1);
EXECUTE expr_stable_math(-3, 0.25, 2);
EXECUTE expr_stable_math(NULL, NULL, NULL);
PREPARE expr_stable_digits(int) AS SELECT id, min(round(n, $1)), min(trunc(n, $1)) FROM expr_stable WHERE id BETWEEN 41 AND 45 GROUP BY id ORDER BY id;
SET gpudb.debug_require = allow;
EXECUTE expr_stable_digits(1);
EXECUTE expr_stable_digits(-1);
EXECUTE expr_stable_digits(0);
EXECUTE expr_stable_digits(NULL);
PREPARE expr_stable_parts(int, int) AS SELECT count(*) FILTER (WHERE left(t, $1) = 'row 1'), count(*) FILTER (WHERE substring(t, $1, $2) = 'row 1'), count(*) FILTER (WHERE substring(t, $2) = '4'), max(left(t, -$2)), min(substring(t, $1)) FROM expr_stable;
EXECUTE expr_stable_parts(5, 6);
EXECUTE expr_stable_parts(-1, 7);
EXECUTE expr_stable_parts(0, 6);
EXECUTE expr_stable_parts(NULL, 5);
EXECUTE expr_stable_parts(1, NULL);
EXECUTE expr_stable_parts(1, -1);
PREPARE expr_stable_like(text) AS SELECT count(*) FILTER (WHERE t LIKE $1), count(*) FILTER (WHERE t NOT LIKE $1), count(*) FILTER (WHERE t ILIKE $1), count(*) FILTER (WHERE t NOT ILIKE $1) FROM expr_stable;
EXECUTE expr_stable_like('row%4');
EXECUTE expr_stable_like('ROW _');
EXECUTE expr_stable_like(NULL);
EXECUTE expr_stable_like('row\');
PREPARE expr_stable_days(int, date) AS SELECT count(*) FILTER (WHERE d + $1 > $2), max($2 + a), min($2 - a), max($2 - d) - max($2 + $1 - d), max(extract(year FROM $2 + a)) FROM expr_stable;
EXECUTE expr_stable_days(3, '2000-02-28');
EXECUTE expr_stable_days(NULL, '2000-02-28');
EXECUTE expr_stable_days(1, NULL);
EXECUTE expr_stable_days(1, 'infinity');
PREPARE expr_stable_field(text) AS SELECT max(extract(month FROM timestamp '2024-05-06 07:08:09')), count(date_part($1, ts)) FROM expr_stable;
EXECUTE expr_stable_field('year');
EXECUTE expr_stable_field('no such field');
PREPARE expr_stable_key(int) AS SELECT GREATEST(k, $1) AS r, count(*) FROM expr_stable GROUP BY 1 ORDER BY 1;
EXECUTE expr_stable_key(4);
EXECUTE expr_stable_key(NULL);
-- a division by zero in a parameter's expression: not behind a false condition, not without rows
SET gpudb.debug_require = require;
PREPARE expr_stable_zero(int) AS SELECT count(*) FROM expr_stable WHERE k < 0 AND a > 10 / $1;
EXECUTE expr_stable_zero(2);
EXECUTE expr_stable_zero(NULL);
PREPARE expr_stable_case(int) AS SELECT sum(CASE WHEN k < 0 THEN a % $1 ELSE 1 END), sum(CASE WHEN $1 <> 0 THEN a / $1 END), count(*) FILTER (WHERE $1 <> 0 AND a % $1 = 0), sum(COALESCE(id, id / $1)) FROM expr_stable;
EXECUTE expr_stable_case(7);
EXECUTE expr_stable_case(0);
SET gpudb.debug_require = allow;
EXECUTE expr_stable_zero(0);
PREPARE expr_stable_reached(int) AS SELECT count(*) FROM expr_stable WHERE k = 0 AND a > 10 / $1;
EXECUTE expr_stable_reached(5);
EXECUTE expr_stable_reached(0);
\echo :SQLSTATE
PREPARE expr_stable_or(int) AS SELECT count(*) FROM expr_stable WHERE k >= 0 OR a > 10 / $1;
EXECUTE expr_stable_or(0);
PREPARE expr_stable_none(int) AS SELECT count(*), sum(a / $1), sum(10 / $1) FROM expr_stable_empty WHERE a > 10 / $1;
EXECUTE expr_stable_none(1);
EXECUTE expr_stable_none(0);
PREPARE expr_stable_none_sum(int) AS SELECT sum(a + 10 / $1), max(sqrt(-1 * $1::float8)), max(ln(($1 - $1)::float8)) FROM expr_stable_empty;
EXECUTE expr_stable_none_sum(0);
EXECUTE expr_stable_none_sum(1);
PREPARE expr_stable_sum(int) AS SELECT sum(a + 10 / $1) FROM expr_stable;
EXECUTE expr_stable_sum(5);
EXECUTE expr_stable_sum(0);
PREPARE expr_stable_rows(int) AS SELECT id FROM expr_stable WHERE id < $1 AND a > 10 / ($1 - 3);
EXECUTE expr_stable_rows(5);
EXECUTE expr_stable_rows(3);
EXECUTE expr_stable_rows(0);
PREPARE expr_stable_branch(int) AS SELECT count(*) FROM expr_stable WHERE CASE WHEN k < 0 THEN a > 10 / $1 WHEN k = 3 THEN true END;
EXECUTE expr_stable_branch(0);
PREPARE expr_stable_branch_key(int) AS SELECT CASE WHEN k < 0 THEN 10 / $1 ELSE k END AS r, count(*) FROM expr_stable GROUP BY 1 ORDER BY 1;
EXECUTE expr_stable_branch_key(0);
PREPARE expr_stable_filter(int) AS SELECT count(*) FILTER (WHERE k < 0 AND a > 10 / $1), sum(a) FILTER (WHERE k = 1) FROM expr_stable;
EXECUTE expr_stable_filter(0);
PREPARE expr_stable_arg(int) AS SELECT sum(a / $1) FILTER (WHERE k < 0), sum(10 / $1) FILTER (WHERE k < 0) FROM expr_stable;
EXECUTE expr_stable_arg(0);
PREPARE expr_stable_in(int) AS SELECT count(*) FROM expr_stable WHERE k < 0 AND a IN (1, 2, 10 / $1);
EXECUTE expr_stable_in(0);
EXECUTE expr_stable_in(5);
-- the same of stable functions and of casts
SELECT count(*) FROM expr_stable WHERE k < 0 AND a = expr_stable_fail(1);
SELECT count(*) FROM expr_stable WHERE k = 0 AND a = expr_stable_fail(2);
SELECT count(*) FROM expr_stable_empty WHERE a = expr_stable_fail(3);
SELECT sum(a + expr_stable_fail(4)) FROM expr_stable_empty;
SELECT sum(CASE WHEN k < 0 THEN expr_stable_fail(5) ELSE 1 END) FROM expr_stable;
SELECT k, sum(CASE WHEN k = 6 THEN expr_stable_fail(6) ELSE 1 END) FROM expr_stable GROUP BY k ORDER BY k;
SELECT count(*) FROM expr_stable WHERE d < 'no date'::text::date AND k < 0;
SELECT count(*) FROM expr_stable WHERE k < 0 AND d < 'no date'::text::date;
SELECT count(*) FROM expr_stable WHERE k < 0 AND tz < now() + interval '300000 years';
SELECT count(*) FROM expr_stable WHERE k = 1 AND tz < now() + interval '300000 years';
-- parameters of executor nodes
SELECT one, (SELECT count(*) FROM expr_stable WHERE a % (one + 2) = 0 AND GREATEST(a, one) > 50) AS c FROM expr_stable_one;
SELECT one, (SELECT count(*) FROM expr_stable WHERE k < 0 AND a % zero = 0) AS c, (SELECT max(round(n, one)) FROM expr_stable) AS m FROM expr_stable_one;
SELECT one, (SELECT count(*) FROM expr_stable WHERE k = 0 AND a % zero = 0) AS c FROM expr_stable_one;
SELECT count(*) FROM expr_stable WHERE k < (SELECT zero FROM expr_stable_one) AND a > 10 / (SELECT zero FROM expr_stable_one);
SELECT count(*) FROM expr_stable WHERE a > 10 + (SELECT one FROM expr_stable_one);
SELECT count(*), sum(a * ((SELECT one FROM expr_stable_one) + 1)) FROM expr_stable WHERE a IN (1, 2, (SELECT one FROM expr_stable_one) + 4);
SELECT count(*) FROM expr_stable WHERE t = 'row ' || (SELECT one FROM expr_stable_one) OR d > date '2000-01-01' - (SELECT count(*)::int FROM expr_stable_one);
SELECT one, (SELECT count(*) FROM expr_stable WHERE a > o.one + (SELECT max(one) FROM expr_stable_one)) AS c FROM expr_stable_one o;
-- beside parallel workers, in a cursor over savepoints, in a block with an exception handler
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT (SELECT count(*) FROM expr_stable WHERE k < 0 AND tz > now() - interval '1 day') AS a, (SELECT count(*) > 0 FROM expr_stable_one WHERE md5(one::text) > '') AS b;
PREPARE expr_stable_parallel(int) AS SELECT (SELECT count(*) FROM expr_stable WHERE k < 0 AND a > 10 / $1) AS a, (SELECT count(*) FROM expr_stable WHERE md5(t) < '5') AS b;
EXECUTE expr_stable_parallel(1);
EXECUTE expr_stable_parallel(0);
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
BEGIN;
DECLARE expr_stable_cursor CURSOR FOR SELECT id FROM expr_stable WHERE a > 60 + length(current_database()) * 0;
FETCH 2 FROM expr_stable_cursor;
SAVEPOINT s;
FETCH 2 FROM expr_stable_cursor;
ROLLBACK TO s;
FETCH 2 FROM expr_stable_cursor;
COMMIT;
DO $$
DECLARE
	found int;
BEGIN
	FOR i IN 0..2 LOOP
		BEGIN
			SELECT count(*) INTO found FROM expr_stable WHERE id > 9990 AND a > 10 / i;
			RAISE NOTICE '% %', i, found;
		EXCEPTION WHEN division_by_zero THEN
			RAISE NOTICE '% division by zero', i;
		END;
	END LOOP;
END $$;
-- volatile expressions stay
SELECT count(*) FROM expr_stable WHERE tz < clock_timestamp() + random() * interval '1 day';
DEALLOCATE ALL;
DROP TABLE expr_stable, expr_stable_empty, expr_stable_one;
DROP FUNCTION expr_stable_fail, expr_stable_add;
