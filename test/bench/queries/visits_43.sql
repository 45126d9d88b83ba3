-- dashboard of a site: visits of each minute, a later page
SELECT date_trunc('minute', event_time) AS minute, count(*) AS page_views
FROM visits
WHERE counter_id = 62
	AND event_date BETWEEN '2013-07-14' AND '2013-07-15'
	AND is_refresh = 0
	AND dont_count_hits = 0
GROUP BY minute
ORDER BY minute
LIMIT 10 OFFSET 1000;
