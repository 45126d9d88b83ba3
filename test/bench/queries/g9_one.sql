-- selectivity of g1
SELECT count(*) FILTER (WHERE data_count > :p40) AS selected,
	   count(*) AS of_all
FROM tcpip;
