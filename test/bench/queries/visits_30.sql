-- thirty sums of computed numbers, where ClickBench has ninety
SELECT sum(resolution_width), sum(resolution_width + 1), sum(resolution_width + 2), sum(resolution_width + 3),
	sum(resolution_width + 4), sum(resolution_width + 5), sum(resolution_width + 6), sum(resolution_width + 7),
	sum(resolution_width + 8), sum(resolution_width + 9), sum(resolution_width + 10), sum(resolution_width + 11),
	sum(resolution_width + 12), sum(resolution_width + 13), sum(resolution_width + 14),
	sum(resolution_width + 15), sum(resolution_width + 16), sum(resolution_width + 17),
	sum(resolution_width + 18), sum(resolution_width + 19), sum(resolution_width + 20),
	sum(resolution_width + 21), sum(resolution_width + 22), sum(resolution_width + 23),
	sum(resolution_width + 24), sum(resolution_width + 25), sum(resolution_width + 26),
	sum(resolution_width + 27), sum(resolution_width + 28), sum(resolution_width + 29)
FROM visits;
