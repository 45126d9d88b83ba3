-- median
-- extra
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY data_count)
FROM tcpip;
