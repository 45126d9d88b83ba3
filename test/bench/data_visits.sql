--
-- Visits of web pages, in the shape of the table `hits` of ClickBench (github.com/ClickHouse/ClickBench): one wide
-- table, many narrow numbers, long texts with many values, and a search phrase that is mostly empty.
--
--   psql -v n=2000000 -f data_visits.sql
--
-- The data is made up; its proportions are those of such a log.  For n rows:
--
--   url            0.8 n values; two thirds of the rows have a page of their own
--   title          n / 20 values, referer about 0.4 n
--   user_id        n / 10 values, a seventh of the rows for a fiftieth of the users
--   search_phrase  empty in 87 % of the rows; n / 20 values, the first one in 2 % of the others
--   counter_id     600 values, 62 in 8 % of the rows; each is a site with a host name of its own
--   event_time     July 2013, ascending but for ten minutes
--
-- A page's number has its site's number in the upper half; page 0 is the most popular one of the site with counter_id
-- 62.  Hashes are hashint8extended(number, stream), which queries write likewise: of the user number with 511, of the
-- page number with 561 for url_hash and 562 for referer_hash.
--
\if :{?n}
\else
\set n 2000000
\endif
\ir data_hash.sql
SET jit = off;

SELECT greatest(10, :n / 10) AS users, greatest(20, :n / 2500) AS popular,
	   greatest(20, :n / 20) AS titles, greatest(20, :n / 20) AS phrases \gset

DROP TABLE IF EXISTS visits;

-- PostgreSQL inlines all of these functions: those with CASE are therefore not STRICT, and a number has a cast to text,
-- since || with a number is only STABLE.
CREATE OR REPLACE FUNCTION bench_word(r int8, stream int8) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT bench_pick('{album,auto,bank,bicycle,boat,book,bridge,camera,castle,catalog,cheap,children,cinema,city,
						coffee,concert,cooking,diesel,doctor,dress,engine,family,festival,film,flight,forum,furniture,
						garden,guitar,history,hotel,house,island,jacket,kitchen,lesson,lottery,map,market,mobile,
						mountain,museum,music,news,online,opera,phone,photo,planet,player,price,recipe,repair,river,
						school,shoes,station,summer,tablet,theatre,ticket,train,weather,winter}', r, stream)
$$;
CREATE OR REPLACE FUNCTION bench_words(r int8, stream int8) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT bench_word(r, stream) || ' ' || bench_word(r, stream + 1) || ' ' || bench_word(r, stream + 2)
$$;

-- Next come the host of a site, the address of a page and the address of a search's results.
CREATE OR REPLACE FUNCTION bench_host(site int8) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT CASE WHEN site % 2 = 0 THEN 'www.' ELSE '' END
		|| CASE WHEN site % 100 = 57 THEN 'news' || site::text || '.google.'
			ELSE bench_word(site, 521) || site::text || '.' END
		|| bench_pick('{com,de,info,net,org,ru}', site, 522)
$$;
CREATE OR REPLACE FUNCTION bench_page_url(page int8) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT CASE WHEN page % 3 = 0 THEN 'https://' ELSE 'http://' END || bench_host(page >> 32)
		|| '/' || bench_word(page, 531) || '/' || bench_word(page, 532) || '-' || bench_word(page, 533)
		|| '/' || to_hex(page & 4294967295)
		|| CASE bench_below(4, page, 534)
			WHEN 0 THEN ''
			WHEN 1 THEN '.html'
			WHEN 2 THEN '?from='
				|| bench_pick('{archive,banner,bing,direct,feed,footer,forum,friend,google,header,
								mail,main,menu,mobile,news,partner,rss,search,social,widget}', page, 535)
				|| '&visit=' || to_hex(hashint8extended(page, 536))
			ELSE '/index.php?section=' || bench_word(page, 537) || '&session=' || to_hex(hashint8extended(page, 538))
		END
$$;
CREATE OR REPLACE FUNCTION bench_search_url(phrase int8) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT 'http://' || bench_pick('{go.mail.ru,search.yahoo.com,www.bing.com,www.google.com,www.google.ru,yandex.ru}',
								   phrase, 541)
		|| '/search?q=' || replace(bench_words(phrase, 551), ' ', '+')
$$;

CREATE TABLE visits(
	visit_id bigint NOT NULL, event_time timestamp NOT NULL, event_date date NOT NULL,
	counter_id int NOT NULL, counter_class smallint NOT NULL,
	client_ip int NOT NULL, region_id int NOT NULL, user_id bigint NOT NULL,
	os smallint NOT NULL, user_agent smallint NOT NULL, user_agent_major smallint NOT NULL,
	url text NOT NULL, url_hash bigint NOT NULL, referer text NOT NULL, referer_hash bigint NOT NULL,
	title text NOT NULL, is_refresh smallint NOT NULL,
	resolution_width smallint NOT NULL, resolution_height smallint NOT NULL, resolution_depth smallint NOT NULL,
	window_client_width smallint NOT NULL, window_client_height smallint NOT NULL,
	is_mobile smallint NOT NULL, mobile_phone smallint NOT NULL, mobile_phone_model text NOT NULL,
	traffic_source_id smallint NOT NULL, search_engine_id smallint NOT NULL, search_phrase text NOT NULL,
	adv_engine_id smallint NOT NULL, is_link smallint NOT NULL, is_download smallint NOT NULL,
	is_not_bounce smallint NOT NULL, dont_count_hits smallint NOT NULL, cookie_enabled smallint NOT NULL,
	client_time_zone smallint NOT NULL, age smallint NOT NULL, sex smallint NOT NULL,
	browser_language text NOT NULL, http_error smallint NOT NULL, response_time int NOT NULL);

-- The innermost level draws whose visit to which site it is, the next one pages and screens.  A referer's number is -1
-- for none, -2 and less for the results of a search, else a page's.
INSERT INTO visits
SELECT hashint8extended(i, 500),
	   timestamp '2013-07-01' + second * interval '1 second', date '2013-07-01' + second / 86400,
	   62 + 13 * site, bench_below(3, site, 523),
	   (hashint8extended(person * 3 + bench_below(3, i, 512), 513) >> 32)::int,
	   1 + bench_skewed(5000, 3, person, 514), hashint8extended(person, 511),
	   1 + bench_skewed(90, 3, person, 515), 1 + bench_skewed(80, 2, person, 516), bench_below(31, person, 517),
	   bench_page_url(page), hashint8extended(page, 561),
	   CASE WHEN referer_page >= 0 THEN bench_page_url(referer_page)
			WHEN referer_page = -1 THEN ''
			ELSE bench_search_url(-2 - referer_page) END,
	   hashint8extended(referer_page, 562),
	   CASE WHEN title % 20 = 7 THEN ''
			ELSE bench_pick('{About,All about,Best,Big,Buy,Cheap,Daily,Day of,Download,Find,First,Forum,Free,From,
							  Google,Great,Guide,Hello,How to,Index of,Last,Latest,List of,Map of,More,My,New,
							  News of,Old,Our,Read,Sale of,Search,See,Small,The,This,Top,World of,Your}', title, 542)
				|| ' ' || bench_words(title, 543) || ' ' || title || ' - ' || bench_word(title, 546) END,
	   (bench_below(8, i, 571) = 0)::int,
	   width, height, CASE WHEN bench_below(10, person, 572) = 0 THEN 24 ELSE 32 END,
	   width - 17 * bench_below(12, i, 573), height - 90 - 13 * bench_below(24, i, 574),
	   mobile::int,
	   CASE WHEN mobile THEN 1 + bench_skewed(80, 2, person, 575) ELSE 0 END,
	   CASE WHEN mobile THEN bench_pick('{iPad,iPhone,Desire,Galaxy,Lumia,Nexus,Optimus,Xperia}', person, 576)
							 || ' ' || 1 + bench_skewed(20, 2, person, 577)
			ELSE '' END,
	   CASE WHEN referer_page = -1 THEN 0
			WHEN referer_page < -1 THEN 2
			WHEN bench_below(10, i, 578) = 0 THEN 6
			WHEN bench_below(10, i, 579) = 0 THEN 1
			ELSE -1 END,
	   CASE WHEN referer_page < -1 THEN 2 + bench_skewed(30, 4, i, 580) ELSE 0 END,
	   CASE WHEN referer_page < -1 AND referer_draw < 0.33 THEN bench_words(-2 - referer_page, 551) ELSE '' END,
	   CASE WHEN bench_below(160, i, 581) = 0 THEN 2 + bench_skewed(18, 2, i, 582) ELSE 0 END,
	   (bench_below(12, i, 583) = 0)::int, (bench_below(60, i, 584) = 0)::int,
	   (bench_below(5, i, 585) = 0)::int, (bench_below(14, i, 586) = 0)::int, (bench_below(50, person, 587) > 0)::int,
	   60 * (bench_skewed(13, 2, person, 588) - 4),
	   bench_pick('{0,0,0,16,22,26,31,39,50,55}', person, 589)::int, bench_below(3, person, 590),
	   bench_pick('{ru,ru,ru,ru,de,en,en,tr,uk,fr}', person, 591),
	   CASE WHEN bench_below(200, i, 592) = 0 THEN 404 ELSE 0 END, bench_skewed(60000, 4, i, 593)
FROM (SELECT *, bench_skewed(:titles, 1.5, page, 540) AS title,
			 ('{1366,1920,1280,1024,1440,1600,1680,1536,768,360}'::int[])[1 + screen] AS width,
			 ('{768,1080,800,768,900,900,1050,864,1024,640}'::int[])[1 + screen] AS height
	  FROM (SELECT *, site << 32 | CASE WHEN page_draw < 0.32 THEN bench_skewed(:popular, 3, i, 505)
										ELSE 1000000000 + i END AS page,
				   CASE WHEN referer_draw < 0.2 THEN -1
						WHEN referer_draw < 0.45 THEN -2 - bench_skewed(:phrases, 3, i, 506)
						WHEN referer_draw < 0.7 THEN site << 32 | bench_skewed(:popular, 3, i, 507)
						ELSE site << 32 | 1000000000 + bench_below(:n, i, 508) END AS referer_page,
				   bench_skewed(10, 1.5, person, 518) AS screen, bench_u(person, 519) < 0.12 AS mobile
			FROM (SELECT i, bench_skewed(600, 2.5, i, 501)::int8 AS site, bench_skewed(:users, 2, i, 502) AS person,
						 bench_u(i, 503) AS page_draw, bench_u(i, 504) AS referer_draw,
						 ((i - 1) * 2677800 / :n)::int + bench_below(600, i, 509) AS second
				  FROM generate_series(1, :n::int8) i OFFSET 0) drawn
			OFFSET 0) pages
	  OFFSET 0) shaped;
ALTER TABLE visits ADD PRIMARY KEY (visit_id);

VACUUM (ANALYZE, FREEZE) visits;
