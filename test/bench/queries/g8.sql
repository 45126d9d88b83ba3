-- exact sum and average, min, max
SELECT sum(data_count), avg(data_count), min(data_count), max(data_count)
FROM tcpip;
