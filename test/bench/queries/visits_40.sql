-- dashboard of a site: where visitors come from, a later page
SELECT traffic_source_id, search_engine_id, adv_engine_id,
	CASE WHEN search_engine_id = 0 AND adv_engine_id = 0 THEN referer ELSE '' END AS source,
	url AS destination, count(*) AS page_views
FROM visits
WHERE counter_id = 62
	AND event_date BETWEEN '2013-07-01' AND '2013-07-31'
	AND is_refresh = 0
GROUP BY traffic_source_id, search_engine_id, adv_engine_id, source, destination
ORDER BY page_views DESC, traffic_source_id, search_engine_id, adv_engine_id, source, destination
LIMIT 10 OFFSET 1000;
