--
-- All the papers' tables at their full size; -v n=N gives each of them N rows.
--
\ir data_govindaraju.sql
\ir data_wisconsin.sql
\ir data_tablet.sql
\ir data_joins.sql
