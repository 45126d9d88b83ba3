-- 4 attributes, AND, 60 % of each
SELECT count(*)
FROM tcpip
WHERE data_count > :p40
  AND data_loss > :loss40
  AND flow_rate > :flow40
  AND retransmissions > :retr40;
