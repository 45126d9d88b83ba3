-- selectivity of g2
SELECT count(*) FILTER (WHERE data_count BETWEEN :p20 AND :p80) AS selected,
	   count(*) AS of_all
FROM tcpip;
