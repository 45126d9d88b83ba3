/* gpudb: ordinary SQL over ordinary heap tables on the GPU */

\echo Use "CREATE EXTENSION gpudb" to load this file. \quit

CREATE FUNCTION gpudb.version(sql_version text DEFAULT '1.0') RETURNS text
    LANGUAGE c STABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'gpudb_version';
COMMENT ON FUNCTION gpudb.version(text) IS
    'version of the gpudb library; an error says what is wrong with the installation';
