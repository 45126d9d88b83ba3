-- GRP, reduced to a sum over groups
SELECT count(*), sum(most)
FROM (SELECT max(a1) AS most FROM r GROUP BY a2) q;
