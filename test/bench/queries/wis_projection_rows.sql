-- an int expression, every row returned
SELECT unique1+unique2
FROM w;
