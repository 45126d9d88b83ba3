-- one predicate, 60 % selected
SELECT count(*)
FROM tcpip
WHERE data_count > :p40;
