-- dashboard of a site: links followed, a later page
SELECT url, count(*) AS page_views
FROM visits
WHERE counter_id = 62
	AND event_date BETWEEN '2013-07-01' AND '2013-07-31'
	AND is_refresh = 0
	AND is_link <> 0
	AND is_download = 0
GROUP BY url
ORDER BY page_views DESC, url
LIMIT 10 OFFSET 1000;
