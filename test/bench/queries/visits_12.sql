-- makers and models of telephones with the most users
SELECT mobile_phone, mobile_phone_model, count(DISTINCT user_id) AS users
FROM visits
WHERE mobile_phone_model <> ''
GROUP BY mobile_phone, mobile_phone_model
ORDER BY users DESC, mobile_phone, mobile_phone_model
LIMIT 10;
