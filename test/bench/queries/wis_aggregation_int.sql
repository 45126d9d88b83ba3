-- max of int times float4
SELECT max(unique1*tenpercent/100)
FROM w;
