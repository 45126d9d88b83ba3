-- some users and phrases, the first ones where ClickBench takes any
SELECT user_id, search_phrase, count(*) AS visits
FROM visits
GROUP BY user_id, search_phrase
ORDER BY user_id, search_phrase
LIMIT 10;
