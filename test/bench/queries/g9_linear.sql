-- selectivity of g4_linear
SELECT count(*) FILTER (WHERE 0.31*data_count + 0.27*data_loss - 0.44*flow_rate + 0.12*retransmissions > :linear50) AS selected,
	   count(*) AS of_all
FROM tcpip;
