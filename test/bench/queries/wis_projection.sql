-- sum of an int expression
SELECT sum(unique1+unique2)
FROM w;
