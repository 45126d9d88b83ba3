-- selection, about 1,250 rows of 136 bytes
SELECT *
FROM w
WHERE unique1>1000 AND unique1<6000 AND unique2%2=0 AND two=0;
