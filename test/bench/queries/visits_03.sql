-- sum, count and average of all rows
SELECT sum(adv_engine_id), count(*), avg(resolution_width)
FROM visits;
