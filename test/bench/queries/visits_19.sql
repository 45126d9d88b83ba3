-- users, minutes of the hour and phrases with the most visits
SELECT user_id, extract(minute FROM event_time) AS minute, search_phrase, count(*) AS visits
FROM visits
GROUP BY user_id, minute, search_phrase
ORDER BY visits DESC, user_id, minute, search_phrase
LIMIT 10;
