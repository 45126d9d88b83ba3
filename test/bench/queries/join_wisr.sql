-- Wisconsin, reduced to count and sums of the int columns
SELECT count(*) AS n,
	   sum(w1.unique1) AS w1_unique1, sum(w1.unique2) AS w1_unique2, sum(w1.two) AS w1_two,
	   sum(w1.four) AS w1_four, sum(w1.ten) AS w1_ten, sum(w1.twenty) AS w1_twenty,
	   sum(w1.unique3) AS w1_unique3, sum(w1.even) AS w1_even, sum(w1.odd) AS w1_odd,
	   sum(w2.unique1) AS w2_unique1, sum(w2.unique2) AS w2_unique2, sum(w2.two) AS w2_two,
	   sum(w2.four) AS w2_four, sum(w2.ten) AS w2_ten, sum(w2.twenty) AS w2_twenty,
	   sum(w2.unique3) AS w2_unique3, sum(w2.even) AS w2_even, sum(w2.odd) AS w2_odd
FROM w1 JOIN w2 ON w1.unique1 = w2.unique1;
