-- average of a wide number
SELECT avg(user_id)
FROM visits;
