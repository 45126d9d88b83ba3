-- first search phrases of the alphabet
SELECT search_phrase
FROM visits
WHERE search_phrase <> ''
ORDER BY search_phrase
LIMIT 10;
