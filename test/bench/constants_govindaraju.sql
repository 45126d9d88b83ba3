--
-- The percentiles that the queries g*.sql compare with, found once by plain
-- PostgreSQL.  One row: bench.py reads it, and at a psql prompt
--
--   SELECT * FROM tcpip_constants \gset
--
-- makes each column a variable, after which \i queries/g1.sql works.
--
DROP TABLE IF EXISTS tcpip_constants;
CREATE TABLE tcpip_constants AS
SELECT percentile_disc(0.2) WITHIN GROUP (ORDER BY data_count) AS p20,
	   percentile_disc(0.4) WITHIN GROUP (ORDER BY data_count) AS p40,
	   percentile_disc(0.7) WITHIN GROUP (ORDER BY data_count) AS p70,
	   percentile_disc(0.8) WITHIN GROUP (ORDER BY data_count) AS p80,
	   percentile_disc(0.4) WITHIN GROUP (ORDER BY data_loss) AS loss40,
	   percentile_disc(0.7) WITHIN GROUP (ORDER BY data_loss) AS loss70,
	   percentile_disc(0.2) WITHIN GROUP (ORDER BY flow_rate) AS flow20,
	   percentile_disc(0.4) WITHIN GROUP (ORDER BY flow_rate) AS flow40,
	   percentile_disc(0.7) WITHIN GROUP (ORDER BY flow_rate) AS flow70,
	   percentile_disc(0.4) WITHIN GROUP (ORDER BY retransmissions) AS retr40,
	   percentile_disc(0.7) WITHIN GROUP (ORDER BY retransmissions) AS retr70,
	   percentile_disc(0.5) WITHIN GROUP (ORDER BY
			0.31*data_count + 0.27*data_loss - 0.44*flow_rate + 0.12*retransmissions) AS linear50,
	   percentile_disc(0.5) WITHIN GROUP (ORDER BY
			0.002*flow_rate*flow_rate - 0.5*flow_rate*data_loss + 1.7*retransmissions) AS poly50,
	   count(*) / 100 AS k,
	   count(*) / 2 AS half
FROM tcpip;
ANALYZE tcpip_constants;
