-- semi-linear: a dot product against a constant (0.31*int is numeric in PostgreSQL)
SELECT count(*)
FROM tcpip
WHERE 0.31*data_count + 0.27*data_loss - 0.44*flow_rate + 0.12*retransmissions > :linear50;
