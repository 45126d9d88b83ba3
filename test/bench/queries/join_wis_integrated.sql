-- Wisconsin: join, two selections and an aggregate
SELECT max(w1.unique1*w1.tenpercent/100)
FROM w1 JOIN w2 ON w1.unique1 = w2.unique2
WHERE w1.unique1 < 6000 AND w2.unique2 > 1000;
