-- selectivity of g3_4
SELECT count(*) FILTER (WHERE data_count > :p40 AND data_loss > :loss40 AND flow_rate > :flow40 AND retransmissions > :retr40) AS selected,
	   count(*) AS of_all
FROM tcpip;
