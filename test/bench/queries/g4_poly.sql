-- a polynomial against a constant
SELECT count(*)
FROM tcpip
WHERE 0.002*flow_rate*flow_rate - 0.5*flow_rate*data_loss + 1.7*retransmissions > :poly50;
