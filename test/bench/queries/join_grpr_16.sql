-- GRP, a sixteenth of the groups, reduced
SELECT count(*), sum(most)
FROM (SELECT max(a1) AS most FROM r GROUP BY a2 / 16) q;
