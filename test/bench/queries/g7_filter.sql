-- median of 80 % of the rows, by FILTER
-- extra
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY data_count) FILTER (WHERE flow_rate > :flow20)
FROM tcpip;
