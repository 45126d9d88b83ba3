-- the same dot product in float8 throughout
SELECT count(*)
FROM tcpip
WHERE 0.31*data_count::float8 + 0.27*data_loss - 0.44*flow_rate + 0.12*retransmissions > :linear50;
