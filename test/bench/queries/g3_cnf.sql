-- four attributes, AND of ORs
SELECT count(*)
FROM tcpip
WHERE (data_count > :p70 OR data_loss > :loss70)
  AND (flow_rate > :flow70 OR retransmissions > :retr70);
