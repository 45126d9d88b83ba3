-- median of 80 % of the rows, by WHERE
-- extra
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY data_count)
FROM tcpip
WHERE flow_rate > :flow20;
