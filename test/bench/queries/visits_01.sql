-- rows
SELECT count(*)
FROM visits;
