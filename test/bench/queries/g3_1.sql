-- 1 attribute, 60 % of each
SELECT count(*)
FROM tcpip
WHERE data_count > :p40;
