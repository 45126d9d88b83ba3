-- a range, 60 % selected
SELECT count(*)
FROM tcpip
WHERE data_count BETWEEN :p20 AND :p80;
