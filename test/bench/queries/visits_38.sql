-- dashboard of a site: titles of a month
SELECT title, count(*) AS page_views
FROM visits
WHERE counter_id = 62
	AND event_date BETWEEN '2013-07-01' AND '2013-07-31'
	AND dont_count_hits = 0
	AND is_refresh = 0
	AND title <> ''
GROUP BY title
ORDER BY page_views DESC, title
LIMIT 10;
