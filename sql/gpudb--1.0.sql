/* gpudb: ordinary SQL over ordinary heap tables on the GPU */

\echo Use "CREATE EXTENSION gpudb" to load this file. \quit

CREATE FUNCTION gpudb.version(sql_version text DEFAULT '1.0') RETURNS text
    LANGUAGE c STABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'gpudb_version';
COMMENT ON FUNCTION gpudb.version(text) IS
    'version of the gpudb library; an error says what is wrong with the installation';

CREATE FUNCTION gpudb.stat(OUT event text, OUT reason text, OUT count bigint, OUT meaning text) RETURNS SETOF record
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED
    AS 'MODULE_PATHNAME', 'gpudb_stat';
CREATE VIEW gpudb.stat AS SELECT * FROM gpudb.stat();
COMMENT ON VIEW gpudb.stat IS
    'what gpudb nodes did in the whole server since its start: executed, fallback and refused, by reason';
CREATE FUNCTION gpudb.stat_reset() RETURNS void
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'gpudb_stat_reset';
COMMENT ON FUNCTION gpudb.stat_reset() IS 'sets the counters of gpudb.stat to zero';
REVOKE ALL ON FUNCTION gpudb.stat_reset() FROM PUBLIC;

CREATE FUNCTION gpudb.devices(OUT kind text, OUT name text, OUT uuid text, OUT memory bigint, OUT memory_used bigint,
        OUT cached bigint, OUT capability text, OUT driver text, OUT state text) RETURNS SETOF record
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED
    AS 'MODULE_PATHNAME', 'gpudb_devices';
CREATE VIEW gpudb.devices AS SELECT * FROM gpudb.devices();
COMMENT ON VIEW gpudb.devices IS
    'the GPUs of this machine, their memory in bytes, what gpudb has of it and how much cached columns take of that, and which one is in use or why not';
CREATE FUNCTION gpudb.doctor() RETURNS text
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED
    AS 'MODULE_PATHNAME', 'gpudb_doctor';
COMMENT ON FUNCTION gpudb.doctor() IS 'tells in words whether queries can run on a GPU, and what to do if not';

CREATE FUNCTION gpudb.calibration(OUT figure text, OUT device text, OUT nanoseconds float8, OUT measured timestamptz,
        OUT calibrations int, OUT meaning text)
    RETURNS SETOF record
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED
    AS 'MODULE_PATHNAME', 'gpudb_calibration';
CREATE VIEW gpudb.calibration AS SELECT * FROM gpudb.calibration();
COMMENT ON VIEW gpudb.calibration IS
    'what the planner knows of this machine''s speed, since when, and by how many calibrations; guesses where there were none';

CREATE FUNCTION gpudb.calibrate(anew boolean DEFAULT false) RETURNS void
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'gpudb_calibrate';
COMMENT ON FUNCTION gpudb.calibrate(boolean) IS
    'measures this machine for the planner, which takes some seconds and wants it otherwise idle; what was measured before counts, too, unless anew';
REVOKE ALL ON FUNCTION gpudb.calibrate(boolean) FROM PUBLIC;

CREATE FUNCTION gpudb.tablets(OUT relation regclass, OUT column_name text, OUT first_block bigint, OUT blocks int,
        OUT blocks_lost int, OUT rows int, OUT form text, OUT bytes bigint, OUT bytes_raw bigint, OUT hits bigint,
        OUT rebuilds bigint, OUT last_use timestamptz)
    RETURNS SETOF record
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED
    AS 'MODULE_PATHNAME', 'gpudb_tablets';
CREATE VIEW gpudb.tablets AS SELECT * FROM gpudb.tablets();
COMMENT ON VIEW gpudb.tablets IS
    'columns that queries have left behind for others, of each tablet; blocks_lost are read from their pages, since they have changed; form is how values are stored, docs/tablets.md';
CREATE VIEW gpudb.cache AS
    SELECT relation, count(*) FILTER (WHERE nth = 1) AS tablets, array_agg(DISTINCT column_name ORDER BY column_name) AS columns,
        sum(bytes)::bigint AS bytes, sum(bytes_raw)::bigint AS bytes_raw,
        round(100 * (1 - sum(blocks_lost)::numeric / sum(blocks)), 1) AS percent_valid,
        sum(hits) FILTER (WHERE nth = 1)::bigint AS hits, sum(rebuilds) FILTER (WHERE nth = 1)::bigint AS rebuilds,
        max(last_use) AS last_use
    FROM (SELECT *, row_number() OVER (PARTITION BY relation, first_block) AS nth FROM gpudb.tablets) AS columns
    GROUP BY relation;
COMMENT ON VIEW gpudb.cache IS 'what queries have left behind of each relation for others';
CREATE FUNCTION gpudb.dictionaries(OUT relation regclass, OUT column_name text, OUT entries int, OUT bytes bigint, OUT refused bool)
    RETURNS SETOF record
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED
    AS 'MODULE_PATHNAME', 'gpudb_dictionaries';
CREATE VIEW gpudb.dictionaries AS SELECT * FROM gpudb.dictionaries();
COMMENT ON VIEW gpudb.dictionaries IS
    'the distinct texts of columns whose cached form is their numbers; of a column that was refused one since it has too many, texts are read from pages';
CREATE FUNCTION gpudb.prewarm(relation regclass, columns text[] DEFAULT NULL) RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'gpudb_prewarm';
COMMENT ON FUNCTION gpudb.prewarm(regclass, text[]) IS
    'leaves columns of a relation in the cache, by default all that can be, as queries would; how many tablets were not there';
CREATE FUNCTION gpudb.progress(OUT pid int, OUT relation regclass, OUT tablets_done bigint, OUT tablets bigint, OUT began timestamptz)
    RETURNS SETOF record
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED
    AS 'MODULE_PATHNAME', 'gpudb_progress';
CREATE VIEW gpudb.progress AS SELECT * FROM gpudb.progress();
COMMENT ON VIEW gpudb.progress IS 'relations of which columns are left behind just now, by gpudb.prewarm() or gpudb.auto_prewarm, and how far that is';
CREATE FUNCTION gpudb.check(relation regclass, OUT column_name text, OUT tablets bigint, OUT blocks bigint, OUT rows bigint,
        OUT differences bigint)
    RETURNS SETOF record
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'gpudb_check';
COMMENT ON FUNCTION gpudb.check(regclass) IS
    'compares what queries have left behind of a relation with its pages; there should be no differences';
CREATE FUNCTION gpudb.evict(relation regclass) RETURNS bigint
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'gpudb_evict';
COMMENT ON FUNCTION gpudb.evict(regclass) IS 'forgets what queries have left behind of a relation; how many tablets that were';

CREATE FUNCTION gpudb.why_not(query text, OUT relation text, OUT part text, OUT node text, OUT reason text, OUT meaning text)
    RETURNS SETOF record
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'gpudb_why_not';
COMMENT ON FUNCTION gpudb.why_not(text) IS
    'plans a query and tells of each scan, aggregate and join which gpudb node takes it, or why none does';

CREATE FUNCTION gpudb.median_final(internal, anynonarray) RETURNS anynonarray
    LANGUAGE c IMMUTABLE PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'gpudb_median_final';
CREATE AGGREGATE gpudb.median(float8) (
    SFUNC = array_agg_transfn, STYPE = internal, FINALFUNC = gpudb.median_final, FINALFUNC_EXTRA, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpudb.median(float8) IS 'median of numbers, as percentile_cont(0.5) computes it';
CREATE AGGREGATE gpudb.median(anynonarray) (
    SFUNC = array_agg_transfn, STYPE = internal, FINALFUNC = gpudb.median_final, FINALFUNC_EXTRA, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpudb.median(anynonarray) IS 'median of values of a type that can be sorted, as percentile_disc(0.5) computes it';

CREATE FUNCTION gpudb.exact_accum(internal, float8) RETURNS internal LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'gpudb_exact_accum';
CREATE FUNCTION gpudb.exact_accum(internal, float4) RETURNS internal LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'gpudb_exact_accum_single';
CREATE FUNCTION gpudb.exact_combine(internal, internal) RETURNS internal LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'gpudb_exact_combine';
CREATE FUNCTION gpudb.exact_serialize(internal) RETURNS bytea LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'gpudb_exact_serialize';
CREATE FUNCTION gpudb.exact_deserialize(bytea, internal) RETURNS internal LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'gpudb_exact_deserialize';
CREATE FUNCTION gpudb.exact_sum_final(internal) RETURNS float8 LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'gpudb_exact_sum';
CREATE FUNCTION gpudb.exact_sum_single_final(internal) RETURNS float4 LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'gpudb_exact_sum_single';
CREATE FUNCTION gpudb.exact_avg_final(internal) RETURNS float8 LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'gpudb_exact_avg';
CREATE AGGREGATE gpudb.exact_sum(float8) (
    SFUNC = gpudb.exact_accum, STYPE = internal, SSPACE = 600, FINALFUNC = gpudb.exact_sum_final, COMBINEFUNC = gpudb.exact_combine,
    SERIALFUNC = gpudb.exact_serialize, DESERIALFUNC = gpudb.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE gpudb.exact_sum(float4) (
    SFUNC = gpudb.exact_accum, STYPE = internal, SSPACE = 600, FINALFUNC = gpudb.exact_sum_single_final, COMBINEFUNC = gpudb.exact_combine,
    SERIALFUNC = gpudb.exact_serialize, DESERIALFUNC = gpudb.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE gpudb.exact_avg(float8) (
    SFUNC = gpudb.exact_accum, STYPE = internal, SSPACE = 600, FINALFUNC = gpudb.exact_avg_final, COMBINEFUNC = gpudb.exact_combine,
    SERIALFUNC = gpudb.exact_serialize, DESERIALFUNC = gpudb.exact_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE gpudb.exact_avg(float4) (
    SFUNC = gpudb.exact_accum, STYPE = internal, SSPACE = 600, FINALFUNC = gpudb.exact_avg_final, COMBINEFUNC = gpudb.exact_combine,
    SERIALFUNC = gpudb.exact_serialize, DESERIALFUNC = gpudb.exact_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpudb.exact_sum(float8) IS 'sum of floats, rounded once: the same whatever the order of rows, the plan and the device';
COMMENT ON AGGREGATE gpudb.exact_sum(float4) IS 'sum of floats, rounded once: the same whatever the order of rows, the plan and the device';
COMMENT ON AGGREGATE gpudb.exact_avg(float8) IS 'average of floats, rounded once: the same whatever the order of rows, the plan and the device';
COMMENT ON AGGREGATE gpudb.exact_avg(float4) IS 'average of floats, rounded once: the same whatever the order of rows, the plan and the device';

CREATE FUNCTION gpudb.known_objects(OUT kind text, OUT object oid) RETURNS SETOF record
    LANGUAGE c STABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'gpudb_known_objects';
CREATE VIEW gpudb.sql_support AS
    WITH known AS MATERIALIZED (SELECT * FROM gpudb.known_objects())
    SELECT kind, format_type(object, NULL) AS name FROM known WHERE kind = 'type'
    UNION
    SELECT 'operator', o.oid::regoperator::text FROM known JOIN pg_operator o ON o.oprcode = object WHERE kind = 'function'
    UNION
    SELECT 'cast', format_type(c.castsource, NULL) || ' to ' || format_type(c.casttarget, NULL)
        FROM known JOIN pg_cast c ON c.castfunc = object JOIN pg_proc p ON p.oid = object AND p.prorettype = c.casttarget
        WHERE kind = 'function'
    UNION
    SELECT kind, object::regprocedure::text FROM known WHERE kind = 'function'
        AND NOT EXISTS (SELECT FROM pg_operator o WHERE o.oprcode = object)
        AND NOT EXISTS (SELECT FROM pg_cast c WHERE c.castfunc = object)
    UNION
    SELECT kind, object::regprocedure::text FROM known WHERE kind = 'aggregate';
COMMENT ON VIEW gpudb.sql_support IS 'types, operators, casts, functions and aggregates that gpudb nodes compute';

GRANT USAGE ON SCHEMA gpudb TO PUBLIC;
GRANT SELECT ON gpudb.cache, gpudb.calibration, gpudb.devices, gpudb.dictionaries, gpudb.progress, gpudb.stat, gpudb.sql_support, gpudb.tablets TO PUBLIC;
