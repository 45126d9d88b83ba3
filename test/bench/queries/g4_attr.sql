-- attribute against attribute
SELECT count(*)
FROM tcpip
WHERE data_count > flow_rate;
