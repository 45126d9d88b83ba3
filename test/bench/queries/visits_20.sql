-- visits of one user
SELECT user_id
FROM visits
WHERE user_id = hashint8extended(4711, 511);
