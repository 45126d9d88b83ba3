-- Rows that policies and security barriers hide: gpudb evaluates filters in PostgreSQL's order, and tells nothing of what it read
CREATE TABLE plan_security (id int NOT NULL, owner text, v int, n numeric, secret numeric);
INSERT INTO plan_security SELECT i, CASE WHEN i % 2 = 0 THEN 'a' ELSE 'b' END, i % 10, i / 4.0, CASE WHEN i = 777 THEN 'NaN' ELSE 1.5 END FROM generate_series(1, 5000) i;
ANALYZE plan_security;
CREATE ROLE plan_security_role;
GRANT SELECT (id, owner, v, n, secret) ON plan_security TO plan_security_role;
CREATE POLICY own ON plan_security USING (owner = 'a');
ALTER TABLE plan_security ENABLE ROW LEVEL SECURITY;
SET gpudb.force = on;
SET gpudb.debug_require = require;
SET ROLE plan_security_role;
-- an error in a hidden row is none: 777 belongs to b
SELECT count(*), sum(id) FROM plan_security WHERE 1 / (id - 777) = 0;
SELECT owner, count(*), min(id), max(n) FROM plan_security GROUP BY owner;
SELECT id FROM plan_security WHERE 100 / (id - 777) > 20 ORDER BY id;
SELECT count(*) FROM plan_security WHERE owner = 'b';
-- in a visible one it is PostgreSQL's
RESET ROLE;
SET gpudb.debug_require = allow;
SET ROLE plan_security_role;
SELECT count(*) FROM plan_security WHERE 1 / (id - 778) = 0;
-- a function that leaks what it sees is called with visible rows alone
RESET ROLE;
CREATE FUNCTION plan_security_leak(x int) RETURNS bool LANGUAGE plpgsql COST 0.0000001 AS $$ BEGIN IF x = 777 THEN RAISE NOTICE 'seen %', x; END IF; RETURN true; END $$;
CREATE VIEW plan_security_barrier WITH (security_barrier) AS SELECT id, v FROM plan_security WHERE owner = 'a';
ALTER TABLE plan_security DISABLE ROW LEVEL SECURITY;
GRANT SELECT ON plan_security_barrier TO plan_security_role;
SET ROLE plan_security_role;
SELECT count(*) FROM plan_security_barrier WHERE plan_security_leak(id) AND v = 7;
SELECT count(*) FROM plan_security_barrier WHERE plan_security_leak(id) AND v = 6;
RESET ROLE;
ALTER TABLE plan_security ENABLE ROW LEVEL SECURITY;
SET ROLE plan_security_role;
-- the NaN of a hidden row makes the node fall back; nobody is told
SELECT explain($$SELECT sum(secret) FROM plan_security$$, 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF');
SELECT sum(secret) FROM plan_security;
SELECT count(*) FROM plan_security WHERE secret > 1;
-- without the policy it is shown
RESET ROLE;
SELECT explain($$SELECT sum(secret) FROM plan_security$$, 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF');
-- columns without a privilege
REVOKE ALL ON plan_security FROM plan_security_role;
GRANT SELECT (id, owner) ON plan_security TO plan_security_role;
SET ROLE plan_security_role;
SELECT count(v) FROM plan_security;
SELECT count(*) FROM gpudb.why_not('SELECT count(v) FROM plan_security');
SELECT count(id) FROM plan_security;
SET gpudb.debug_require = require;
RESET ROLE;
DROP VIEW plan_security_barrier;
DROP FUNCTION plan_security_leak;
DROP TABLE plan_security;
DROP ROLE plan_security_role;
