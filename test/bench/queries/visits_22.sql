-- search phrases that led to addresses with a word
SELECT search_phrase, min(url), count(*) AS visits
FROM visits
WHERE url LIKE '%google%' AND search_phrase <> ''
GROUP BY search_phrase
ORDER BY visits DESC, search_phrase
LIMIT 10;
