-- dashboard of a site: sizes of windows that showed one page
SELECT window_client_width, window_client_height, count(*) AS page_views
FROM visits
WHERE counter_id = 62
	AND event_date BETWEEN '2013-07-01' AND '2013-07-31'
	AND is_refresh = 0
	AND dont_count_hits = 0
	AND url_hash = hashint8extended(0, 561)
GROUP BY window_client_width, window_client_height
ORDER BY page_views DESC, window_client_width, window_client_height
LIMIT 10 OFFSET 500;
