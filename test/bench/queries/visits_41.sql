-- dashboard of a site: days and pages that one page refers to
SELECT url_hash, event_date, count(*) AS page_views
FROM visits
WHERE counter_id = 62
	AND event_date BETWEEN '2013-07-01' AND '2013-07-31'
	AND is_refresh = 0
	AND traffic_source_id IN (-1, 6)
	AND referer_hash = hashint8extended(0, 562)
GROUP BY url_hash, event_date
ORDER BY page_views DESC, url_hash, event_date
LIMIT 10 OFFSET 100;
