-- visits that came by an advertisement
SELECT count(*)
FROM visits
WHERE adv_engine_id <> 0;
