/* gpudb: ordinary SQL over ordinary heap tables on the GPU */

\echo Use "CREATE EXTENSION gpudb" to load this file. \quit

-- Whatever other schemas contain: names are looked up in pg_catalog, and qualified all the same.
SET LOCAL search_path = pg_catalog, pg_temp;

-- First of all: whether the schema is fit for it.
CREATE FUNCTION gpudb.check_installation() RETURNS pg_catalog.void
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'gpudb_check_installation';
SELECT gpudb.check_installation();
DROP FUNCTION gpudb.check_installation();

CREATE FUNCTION gpudb.version(sql_version pg_catalog.text DEFAULT '1.0') RETURNS pg_catalog.text
    LANGUAGE c STABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'gpudb_version';
COMMENT ON FUNCTION gpudb.version(pg_catalog.text) IS
    'version of the gpudb library; an error says what is wrong with the installation';

CREATE FUNCTION gpudb.stat(OUT event pg_catalog.text, OUT reason pg_catalog.text, OUT count bigint, OUT meaning pg_catalog.text) RETURNS SETOF pg_catalog.record
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED
    AS 'MODULE_PATHNAME', 'gpudb_stat';
CREATE VIEW gpudb.stat AS SELECT * FROM gpudb.stat();
COMMENT ON VIEW gpudb.stat IS
    'what gpudb nodes did in the whole server since its start: executed, fallback and refused, by reason';
CREATE FUNCTION gpudb.stat_reset() RETURNS pg_catalog.void
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'gpudb_stat_reset';
COMMENT ON FUNCTION gpudb.stat_reset() IS 'sets the counters of gpudb.stat to zero';
REVOKE ALL ON FUNCTION gpudb.stat_reset() FROM PUBLIC;

CREATE FUNCTION gpudb.devices(OUT kind pg_catalog.text, OUT name pg_catalog.text, OUT uuid pg_catalog.text, OUT memory bigint, OUT memory_used bigint,
        OUT cached bigint, OUT capability pg_catalog.text, OUT driver pg_catalog.text, OUT state pg_catalog.text) RETURNS SETOF pg_catalog.record
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED
    AS 'MODULE_PATHNAME', 'gpudb_devices';
CREATE VIEW gpudb.devices AS SELECT * FROM gpudb.devices();
COMMENT ON VIEW gpudb.devices IS
    'the GPUs of this machine, their memory in bytes, what gpudb has of it and how much cached columns take of that (for members of pg_read_all_stats), and which one is in use or why not';
CREATE FUNCTION gpudb.doctor() RETURNS pg_catalog.text
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED
    AS 'MODULE_PATHNAME', 'gpudb_doctor';
COMMENT ON FUNCTION gpudb.doctor() IS
    'tells in words what queries run on, what is calibrated, cached and switched off, and what to do next';

CREATE FUNCTION gpudb.calibration(OUT figure pg_catalog.text, OUT device pg_catalog.text, OUT nanoseconds pg_catalog.float8, OUT measured pg_catalog.timestamptz,
        OUT calibrations int, OUT meaning pg_catalog.text)
    RETURNS SETOF pg_catalog.record
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED
    AS 'MODULE_PATHNAME', 'gpudb_calibration';
CREATE VIEW gpudb.calibration AS SELECT * FROM gpudb.calibration();
COMMENT ON VIEW gpudb.calibration IS
    'what the planner knows of this machine''s speed, since when, and by how many calibrations; guesses where there were none';

CREATE FUNCTION gpudb.calibrate(anew boolean DEFAULT false) RETURNS pg_catalog.void
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'gpudb_calibrate';
COMMENT ON FUNCTION gpudb.calibrate(boolean) IS
    'measures this machine for the planner, which takes some seconds and wants it otherwise idle; what was measured before counts, too, unless anew';
REVOKE ALL ON FUNCTION gpudb.calibrate(boolean) FROM PUBLIC;

CREATE FUNCTION gpudb.tablets(OUT relation pg_catalog.regclass, OUT column_name pg_catalog.text, OUT first_block bigint, OUT blocks int,
        OUT blocks_lost int, OUT rows int, OUT form pg_catalog.text, OUT bytes bigint, OUT bytes_raw bigint, OUT hits bigint,
        OUT rebuilds bigint, OUT unused bigint, OUT last_use pg_catalog.timestamptz)
    RETURNS SETOF pg_catalog.record
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED
    AS 'MODULE_PATHNAME', 'gpudb_tablets';
CREATE VIEW gpudb.tablets AS SELECT * FROM gpudb.tablets();
COMMENT ON VIEW gpudb.tablets IS
    'columns that queries have left behind for others, of each tablet; blocks_lost are read from their pages, since they have changed; form is how values are stored, docs/tablets.md';
CREATE VIEW gpudb.cache AS
    SELECT relation, pg_catalog.count(*) FILTER (WHERE nth OPERATOR(pg_catalog.=) 1) AS tablets,
        pg_catalog.array_agg(DISTINCT column_name ORDER BY column_name) AS columns,
        pg_catalog.sum(bytes)::bigint AS bytes, pg_catalog.sum(bytes_raw)::bigint AS bytes_raw,
        pg_catalog.round(100 OPERATOR(pg_catalog.*)
            (1 OPERATOR(pg_catalog.-) (pg_catalog.sum(blocks_lost)::numeric OPERATOR(pg_catalog./) pg_catalog.sum(blocks))), 1) AS percent_valid,
        pg_catalog.sum(hits) FILTER (WHERE nth OPERATOR(pg_catalog.=) 1)::bigint AS hits,
        (pg_catalog.sum(hits OPERATOR(pg_catalog.*) blocks) FILTER (WHERE nth OPERATOR(pg_catalog.=) 1) OPERATOR(pg_catalog.*)
            pg_catalog.current_setting('block_size')::int)::bigint AS bytes_saved,
        pg_catalog.sum(rebuilds) FILTER (WHERE nth OPERATOR(pg_catalog.=) 1)::bigint AS rebuilds,
        pg_catalog.sum(unused) FILTER (WHERE nth OPERATOR(pg_catalog.=) 1)::bigint AS unused,
        pg_catalog.max(last_use) AS last_use
    FROM (SELECT *, pg_catalog.row_number() OVER (PARTITION BY relation, first_block) AS nth FROM gpudb.tablets) AS columns
    GROUP BY relation;
COMMENT ON VIEW gpudb.cache IS 'what queries have left behind of each relation for others';
CREATE FUNCTION gpudb.dictionaries(OUT relation pg_catalog.regclass, OUT column_name pg_catalog.text, OUT entries int, OUT bytes bigint, OUT refused pg_catalog.bool)
    RETURNS SETOF pg_catalog.record
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED
    AS 'MODULE_PATHNAME', 'gpudb_dictionaries';
CREATE VIEW gpudb.dictionaries AS SELECT * FROM gpudb.dictionaries();
COMMENT ON VIEW gpudb.dictionaries IS
    'the distinct texts of columns whose cached form is their numbers; of a column that was refused one since it has too many, texts are read from pages';
CREATE FUNCTION gpudb.prewarm(relation pg_catalog.regclass, columns pg_catalog.text[] DEFAULT NULL) RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'gpudb_prewarm';
COMMENT ON FUNCTION gpudb.prewarm(pg_catalog.regclass, pg_catalog.text[]) IS
    'leaves columns of a relation in the cache, by default all that can be, as queries would; how many tablets were not there';
CREATE FUNCTION gpudb.progress(OUT pid int, OUT relation pg_catalog.regclass, OUT tablets_done bigint, OUT tablets bigint, OUT began pg_catalog.timestamptz)
    RETURNS SETOF pg_catalog.record
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED
    AS 'MODULE_PATHNAME', 'gpudb_progress';
CREATE VIEW gpudb.progress AS SELECT * FROM gpudb.progress();
COMMENT ON VIEW gpudb.progress IS 'relations of which columns are left behind just now, by gpudb.prewarm() or gpudb.auto_prewarm, and how far that is';
CREATE FUNCTION gpudb.admission(OUT relation pg_catalog.regclass, OUT columns pg_catalog.text[], OUT state pg_catalog.text, OUT lost_ms pg_catalog.float8,
        OUT price_ms pg_catalog.float8, OUT builds int, OUT since pg_catalog.timestamptz)
    RETURNS SETOF pg_catalog.record
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED
    AS 'MODULE_PATHNAME', 'gpudb_admission';
CREATE VIEW gpudb.admission AS SELECT * FROM gpudb.admission();
COMMENT ON VIEW gpudb.admission IS
    'relations whose columns would have made queries faster: what these have lost so far, as it counts now, and what building the columns costs; a background worker builds them when that is as much';
CREATE FUNCTION gpudb.check(relation pg_catalog.regclass, OUT column_name pg_catalog.text, OUT tablets bigint, OUT blocks bigint, OUT rows bigint,
        OUT differences bigint)
    RETURNS SETOF pg_catalog.record
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'gpudb_check';
COMMENT ON FUNCTION gpudb.check(pg_catalog.regclass) IS
    'compares what queries have left behind of a relation with its pages; there should be no differences';
CREATE FUNCTION gpudb.evict(relation pg_catalog.regclass) RETURNS bigint
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'gpudb_evict';
COMMENT ON FUNCTION gpudb.evict(pg_catalog.regclass) IS 'forgets what queries have left behind of a relation; how many tablets that were';

CREATE FUNCTION gpudb.why_not(query pg_catalog.text, OUT relation pg_catalog.text, OUT part pg_catalog.text, OUT node pg_catalog.text, OUT reason pg_catalog.text, OUT meaning pg_catalog.text)
    RETURNS SETOF pg_catalog.record
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'gpudb_why_not';
COMMENT ON FUNCTION gpudb.why_not(pg_catalog.text) IS
    'plans a query and tells of each scan, aggregate and join which gpudb node takes it, or why none does';

CREATE FUNCTION gpudb.median_final(pg_catalog.internal, pg_catalog.anynonarray) RETURNS pg_catalog.anynonarray
    LANGUAGE c IMMUTABLE PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'gpudb_median_final';
CREATE AGGREGATE gpudb.median(pg_catalog.float8) (
    SFUNC = pg_catalog.array_agg_transfn, STYPE = pg_catalog.internal, FINALFUNC = gpudb.median_final, FINALFUNC_EXTRA, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpudb.median(pg_catalog.float8) IS 'median of numbers, as percentile_cont(0.5) computes it';
CREATE AGGREGATE gpudb.median(pg_catalog.anynonarray) (
    SFUNC = pg_catalog.array_agg_transfn, STYPE = pg_catalog.internal, FINALFUNC = gpudb.median_final, FINALFUNC_EXTRA, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpudb.median(pg_catalog.anynonarray) IS 'median of values of a type that can be sorted, as percentile_disc(0.5) computes it';

CREATE FUNCTION gpudb.exact_accum(pg_catalog.internal, pg_catalog.float8) RETURNS pg_catalog.internal LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'gpudb_exact_accum';
CREATE FUNCTION gpudb.exact_accum(pg_catalog.internal, pg_catalog.float4) RETURNS pg_catalog.internal LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'gpudb_exact_accum_single';
CREATE FUNCTION gpudb.exact_combine(pg_catalog.internal, pg_catalog.internal) RETURNS pg_catalog.internal LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'gpudb_exact_combine';
CREATE FUNCTION gpudb.exact_serialize(pg_catalog.internal) RETURNS pg_catalog.bytea LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'gpudb_exact_serialize';
CREATE FUNCTION gpudb.exact_deserialize(pg_catalog.bytea, pg_catalog.internal) RETURNS pg_catalog.internal LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'gpudb_exact_deserialize';
CREATE FUNCTION gpudb.exact_sum_final(pg_catalog.internal) RETURNS pg_catalog.float8 LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'gpudb_exact_sum';
CREATE FUNCTION gpudb.exact_sum_single_final(pg_catalog.internal) RETURNS pg_catalog.float4 LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'gpudb_exact_sum_single';
CREATE FUNCTION gpudb.exact_avg_final(pg_catalog.internal) RETURNS pg_catalog.float8 LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'gpudb_exact_avg';
CREATE AGGREGATE gpudb.exact_sum(pg_catalog.float8) (
    SFUNC = gpudb.exact_accum, STYPE = pg_catalog.internal, SSPACE = 600, FINALFUNC = gpudb.exact_sum_final, COMBINEFUNC = gpudb.exact_combine,
    SERIALFUNC = gpudb.exact_serialize, DESERIALFUNC = gpudb.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE gpudb.exact_sum(pg_catalog.float4) (
    SFUNC = gpudb.exact_accum, STYPE = pg_catalog.internal, SSPACE = 600, FINALFUNC = gpudb.exact_sum_single_final, COMBINEFUNC = gpudb.exact_combine,
    SERIALFUNC = gpudb.exact_serialize, DESERIALFUNC = gpudb.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE gpudb.exact_avg(pg_catalog.float8) (
    SFUNC = gpudb.exact_accum, STYPE = pg_catalog.internal, SSPACE = 600, FINALFUNC = gpudb.exact_avg_final, COMBINEFUNC = gpudb.exact_combine,
    SERIALFUNC = gpudb.exact_serialize, DESERIALFUNC = gpudb.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE gpudb.exact_avg(pg_catalog.float4) (
    SFUNC = gpudb.exact_accum, STYPE = pg_catalog.internal, SSPACE = 600, FINALFUNC = gpudb.exact_avg_final, COMBINEFUNC = gpudb.exact_combine,
    SERIALFUNC = gpudb.exact_serialize, DESERIALFUNC = gpudb.exact_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpudb.exact_sum(pg_catalog.float8) IS 'sum of floats, rounded once: the same whatever the order of rows, the plan and the device';
COMMENT ON AGGREGATE gpudb.exact_sum(pg_catalog.float4) IS 'sum of floats, rounded once: the same whatever the order of rows, the plan and the device';
COMMENT ON AGGREGATE gpudb.exact_avg(pg_catalog.float8) IS 'average of floats, rounded once: the same whatever the order of rows, the plan and the device';
COMMENT ON AGGREGATE gpudb.exact_avg(pg_catalog.float4) IS 'average of floats, rounded once: the same whatever the order of rows, the plan and the device';

CREATE FUNCTION gpudb.known_objects(OUT kind pg_catalog.text, OUT object pg_catalog.oid) RETURNS SETOF pg_catalog.record
    LANGUAGE c STABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'gpudb_known_objects';
CREATE VIEW gpudb.sql_support AS
    WITH known AS MATERIALIZED (SELECT * FROM gpudb.known_objects())
    SELECT kind, pg_catalog.format_type(object, NULL) AS name FROM known WHERE kind OPERATOR(pg_catalog.=) 'type'
    UNION
    SELECT 'operator', o.oid::pg_catalog.regoperator::pg_catalog.text
        FROM known JOIN pg_catalog.pg_operator o ON o.oprcode OPERATOR(pg_catalog.=) object WHERE kind OPERATOR(pg_catalog.=) 'function'
    UNION
    SELECT 'cast', pg_catalog.format_type(c.castsource, NULL) OPERATOR(pg_catalog.||) ' to '
            OPERATOR(pg_catalog.||) pg_catalog.format_type(c.casttarget, NULL)
        FROM known JOIN pg_catalog.pg_cast c ON c.castfunc OPERATOR(pg_catalog.=) object
            JOIN pg_catalog.pg_proc p ON p.oid OPERATOR(pg_catalog.=) object AND p.prorettype OPERATOR(pg_catalog.=) c.casttarget
        WHERE kind OPERATOR(pg_catalog.=) 'function'
    UNION
    SELECT kind, object::pg_catalog.regprocedure::pg_catalog.text FROM known WHERE kind OPERATOR(pg_catalog.=) 'function'
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_operator o WHERE o.oprcode OPERATOR(pg_catalog.=) object)
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_cast c WHERE c.castfunc OPERATOR(pg_catalog.=) object)
    UNION
    SELECT kind, object::pg_catalog.regprocedure::pg_catalog.text FROM known WHERE kind OPERATOR(pg_catalog.=) 'aggregate';
COMMENT ON VIEW gpudb.sql_support IS 'types, operators, casts, functions and aggregates that gpudb nodes compute';

GRANT USAGE ON SCHEMA gpudb TO PUBLIC;
GRANT SELECT ON gpudb.admission, gpudb.cache, gpudb.calibration, gpudb.devices, gpudb.dictionaries, gpudb.progress, gpudb.stat, gpudb.sql_support, gpudb.tablets TO PUBLIC;
