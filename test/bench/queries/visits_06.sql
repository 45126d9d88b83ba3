-- different search phrases
SELECT count(DISTINCT search_phrase)
FROM visits;
