-- addresses with a word
SELECT count(*)
FROM visits
WHERE url LIKE '%google%';
