-- referring hosts with the longest addresses, found by a regular expression
SELECT regexp_replace(referer, '^https?://(www\.)?([^/]+)/.*$', '\2') AS host, avg(length(referer)) AS referer_length,
	count(*) AS visits, min(referer)
FROM visits
WHERE referer <> ''
GROUP BY host
HAVING count(*) > 2000
ORDER BY referer_length DESC, host
LIMIT 25;
