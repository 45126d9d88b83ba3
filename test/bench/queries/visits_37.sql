-- dashboard of a site: pages of a month
SELECT url, count(*) AS page_views
FROM visits
WHERE counter_id = 62
	AND event_date BETWEEN '2013-07-01' AND '2013-07-31'
	AND dont_count_hits = 0
	AND is_refresh = 0
	AND url <> ''
GROUP BY url
ORDER BY page_views DESC, url
LIMIT 10;
