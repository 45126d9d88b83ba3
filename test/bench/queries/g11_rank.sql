-- sort: a sum over ranks
-- extra
SELECT sum(v*rn)
FROM (SELECT data_count v, row_number() OVER (ORDER BY data_count, id) rn FROM tcpip) q;
