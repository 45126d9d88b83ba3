-- max of a float8 quotient
SELECT max(unique1/(0.173+onepercent))
FROM w;
