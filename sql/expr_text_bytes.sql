-- lengths of texts in bytes and in bits
CREATE TABLE expr_text_bytes (id int NOT NULL, t text, v varchar(30), v1 varchar(1), c char(4));
INSERT INTO expr_text_bytes SELECT i,
	CASE WHEN i % 11 <> 0 THEN (ARRAY['', ' ', 'a', 'größe', '日本語', '😀😀', 'x  ', E'tab\there'])[i % 8 + 1] || repeat('é', i % 40) END,
	(ARRAY['', 'é', 'seven77', '日本語テキスト', NULL])[i % 5 + 1], (ARRAY['', 'a', '日', '😀', NULL])[i % 5 + 1], (ARRAY['', 'é', 'abcd'])[i % 3 + 1]
FROM generate_series(1, 20000) i;
INSERT INTO expr_text_bytes VALUES (20001, repeat('ö', 5000), 'x', 'x', 'x');
ANALYZE expr_text_bytes;
SET gpudb.force = on;
SET gpudb.debug_require = require;
SELECT sum(octet_length(t)), max(octet_length(t)), sum(bit_length(t)), sum(length(t)), count(octet_length(t)) FROM expr_text_bytes;
SELECT sum(octet_length(v)), sum(bit_length(v)), sum(octet_length(v1)), sum(bit_length(v1)), sum(octet_length(c::text)) FROM expr_text_bytes;
SELECT octet_length(t) - length(t) AS k, count(*), max(bit_length(v)) FROM expr_text_bytes WHERE octet_length(t) % 10 = 7 GROUP BY 1 ORDER BY 1;
SELECT id, octet_length(t), bit_length(t) FROM expr_text_bytes WHERE bit_length(t) > 700 OR octet_length(t) = 0 AND id < 500 ORDER BY id;
-- char(n) counts its blanks: PostgreSQL's
SELECT gpu_nodes('SELECT sum(octet_length(c)) FROM expr_text_bytes');
SET gpudb.debug_require = allow;
SELECT sum(octet_length(c)), sum(bit_length(c)) FROM expr_text_bytes;
DROP TABLE expr_text_bytes;
