# A hostile role tries to learn of rows that a policy hides: by plans in all formats, counters, views, errors, messages and
# times.  Each way it asks two questions alike but for a guess, of which one would be right about a hidden row, and compares
# what it is told.  On the CPU device, and with the CPU in a GPU's place.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node;

sub run_sql { return $node->safe_psql('postgres', $_[0]); }

# What the role is told: rows, messages and errors.
sub told
{
	my ($sql) = @_;
	my ($out, $err);
	$node->psql('postgres', $sql, stdout => \$out, stderr => \$err, extra_params => [ '-U', 'hostile' ], on_error_stop => 0);
	return "$out\n$err";
}

my $tables = q{
	CREATE ROLE hostile LOGIN;
	CREATE TABLE pay (id int NOT NULL, tenant int NOT NULL, salary numeric(12,2) NOT NULL, d date, f float8, note text) WITH (autovacuum_enabled = off);
	INSERT INTO pay SELECT i, i % 10, 1000 + i % 10 * 7, date '2024-01-01' + i % 10, i % 100, 'usual ' || i % 5 FROM generate_series(1, 20000) i;
	UPDATE pay SET note = 'CEO bonus 4,711,000 EUR', salary = 4711000.42, d = '2030-05-05', f = 1e300 WHERE id = 13333;
	UPDATE pay SET note = repeat('long ', 20) WHERE id = 13331;
	CREATE TABLE guess (salary numeric(12,2));
	INSERT INTO guess VALUES (1000.00);
	ALTER TABLE pay ENABLE ROW LEVEL SECURITY;
	CREATE POLICY own ON pay USING (tenant = 0);
	GRANT SELECT ON pay, guess TO hostile;
	VACUUM ANALYZE pay, guess;
	SELECT gpudb.prewarm('pay'), gpudb.prewarm('guess');
	CREATE SCHEMA theirs AUTHORIZATION hostile;
};

# Its tools.
my $tools = q{
	SET search_path = theirs, public;
	CREATE FUNCTION tell(x text) RETURNS bool LANGUAGE plpgsql IMMUTABLE STRICT COST 0.0001 AS
		$$ BEGIN IF x NOT LIKE 'usual%' THEN RAISE NOTICE 'seen: %', x; END IF; RETURN true; END $$;
	CREATE FUNCTION tell(x numeric) RETURNS bool LANGUAGE plpgsql IMMUTABLE STRICT COST 0.0001 AS
		$$ BEGIN IF x > 10000 THEN RAISE EXCEPTION 'seen: %', x; END IF; RETURN true; END $$;
	-- How often the first of two queries was slower, of so many times that both ran one after the other, in turns.
	CREATE FUNCTION slower(a text, b text, times int) RETURNS int LANGUAGE plpgsql AS $$
	DECLARE
		n int := 0;
		began timestamptz;
		between timestamptz;
		ended timestamptz;
	BEGIN
		FOR i IN 1 .. times LOOP
			began := clock_timestamp();
			EXECUTE CASE WHEN i % 2 = 0 THEN a ELSE b END;
			between := clock_timestamp();
			EXECUTE CASE WHEN i % 2 = 0 THEN b ELSE a END;
			ended := clock_timestamp();
			n := n + ((between - began > ended - between) = (i % 2 = 0))::int;
		END LOOP;
		RETURN n;
	END $$;
};

# Questions, and two guesses.
my %question = (
	regular_expression => [ q{SELECT count(*) FROM pay WHERE note ~ '?'}, '^CEO b', '^CEO c' ],
	pattern => [ q{SELECT count(*) FROM pay WHERE note LIKE '?'}, 'CEO b%', 'CEO c%' ],
	pattern_of_any_case => [ q{SELECT id FROM pay WHERE note ILIKE '?'}, '%ceo b%', '%ceo c%' ],
	part_of_text => [ q{SELECT count(*) FROM pay WHERE left(note, 5) = '?'}, 'CEO b', 'CEO c' ],
	larger => [ q{SELECT count(*) FROM pay WHERE salary > ?}, '4000000', '6000000' ],
	rows_out => [ q{SELECT id, note FROM pay WHERE salary > ?}, '4000000', '6000000' ],
	between => [ q{SELECT sum(salary) FROM pay WHERE salary BETWEEN ? AND 9000000}, '4000000', '6000000' ],
	list => [ q{SELECT count(*) FROM pay WHERE salary IN (?, 5)}, '4711000.42', '6711000.42' ],
	computed => [ q{SELECT count(*) FROM pay WHERE salary + 1 >= ?}, '4000000', '6000000' ],
	join => [ q{SELECT count(*) FROM pay p JOIN guess g ON g.salary + ? - 1000 = p.salary}, '4711000.42', '6711000.42' ],
	semi_join => [ q{SELECT count(*) FROM pay p WHERE salary IN (SELECT g.salary + ? - 1000 FROM guess g)}, '4711000.42', '6711000.42' ],
	groups => [ q{SELECT d, count(*) FROM pay WHERE salary > ? GROUP BY d ORDER BY 2 DESC LIMIT 3}, '4000000', '6000000' ],
	aggregate_filter => [ q{SELECT count(*) FILTER (WHERE note ~ '?') FROM pay}, 'CEO b', 'CEO c' ],
	percentile => [ q{SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY id) FROM pay WHERE salary > ?}, '4000000', '6000000' ],
	sorted => [ q{SELECT id FROM pay WHERE salary > ? ORDER BY salary LIMIT 5}, '4000000', '6000000' ],
	by_zero => [ q{SELECT count(*) FROM pay WHERE 1 / (id - ?) = 0}, '13333', '93333' ],
	cast_error => [ q{SELECT count(*) FROM pay WHERE (salary * ?)::int > 0}, '511', '411' ],
	overflow => [ q{SELECT count(*) FROM pay WHERE f * ? >= 0}, '1e+100', '1e+050' ],
	width => [ q{SELECT count(*) FROM pay WHERE salary * ? < 0}, '250000000.00', '150000000.00' ],
);

# Ask all questions in one way, with one guess and the other; in which more is told of one than of the other.
sub differ
{
	my ($name, $before, $after) = @_;
	my ($script, @asked, @differ) = ('');
	for my $question (sort keys %question)
	{
		my ($sql, @guess) = @{ $question{$question} };
		my $ask = sub {
			my ($label, $guess) = @_;
			$script .= "\n\\echo ### $label\n\\warn ### $label\n$before" . ($sql =~ s/\?/$guess/gr) . ($after // '') . ";\n";
		};
		# a session that reads some columns for the first time looks at the map, and then remembers: nobody listens to that
		$ask->('ahead', $guess[0]);
		for my $guess (@guess)
		{
			push @asked, [ $question, $guess ];
			$ask->($#asked, $guess);
		}
	}
	my %answer;
	for (split /^### /m, told($script))
	{
		my ($n, $answer) = /^(\d+)\n(.*)$/s or next;
		my ($question, $guess) = @{ $asked[$n] };
		# where it was asked, and how PostgreSQL writes a number
		$answer =~ s/^psql:<stdin>:\d+: //gm;
		$answer =~ s/^LOG:  statement:.*\n?//gm;
		$answer =~ s/\Q$guess\E|1e\+50/?/g;
		$answer =~ s/^ *Planning:\n *Buffers:[^\n]*\n//mg;
		$answer{$question}[ $n % 2 ] .= $answer =~ s/\s+\z//r;
	}
	for my $question (sort keys %question)
	{
		my @answer = @{ $answer{$question} // [ 'nothing', 'at all' ] };
		next if !defined $name || $answer[0] eq $answer[1];
		push @differ, $question;
		note("$question: $answer[0]\n--- and ---\n$answer[1]");
	}
	is("@differ", '', $name) if defined $name;
}

# Of 1,000 pairs of runs chance alone makes one the slower in 500 or so: 150 more or less are nine times the deviation.  But
# where memory lies can make either query the slower one for as long as a session lasts, and the first one that a session ran
# in each.  What is hidden makes the same one slower in every session, whichever came first, so only five sessions that all say
# so tell of it.
sub times_differ
{
	my ($on, $question) = @_;
	my ($sql, @guess) = @{ $question{$question} };
	my @run = map { '$q$' . ($sql =~ s/\?/$_/gr) . '$q$' } @guess;
	my @counts;
	while (@counts < 5)
	{
		my $turned = @counts % 2;
		my ($first, $second) = $turned ? reverse @run : @run;
		my $slower = told("SET search_path = theirs, public; SELECT slower($first, $second, 20) * 0; SELECT slower($first, $second, 1000)");
		my ($n) = $slower =~ /^0\n(\d+)/ or return fail("$on: times of $question: $slower");
		$n = 1000 - $n if $turned;
		push @counts, $n;
		last if abs($n - 500) <= 150 || ($n > 500) != ($counts[0] > 500);
	}
	ok(@counts < 5, "$on: times of $question (@counts of 1,000)");
}

sub try_all
{
	my ($on, $settings, @times) = @_;
	$node = PostgreSQL::Test::Cluster->new('hidden_rows_' . ($on =~ s/\W+/_/gr));
	$node->init;
	$node->append_conf('postgresql.conf', "max_parallel_workers_per_gather = 0\nfsync = off\nautovacuum = off\ngpudb.pool_size = 64MB\ngpudb.force = on\n$settings");
	$node->start;
	run_sql('CREATE EXTENSION gpudb;' . $tables);
	if ($settings =~ /provider = cpu/)
	{
		ok($node->poll_query_until('postgres', q{SELECT gpudb.doctor() LIKE 'All is well%'}), "$on: a GPU process serves");
	}
	like(told($tools . 'SELECT count(*) FROM pay'), qr/^2000$/m, "$on: it sees its own rows");

	my %explain = (
		text => 'ANALYZE, TIMING OFF, SUMMARY OFF', verbose => 'ANALYZE, VERBOSE, TIMING OFF, SUMMARY OFF',
		json => 'ANALYZE, VERBOSE, SETTINGS, TIMING OFF, SUMMARY OFF, FORMAT JSON', xml => 'ANALYZE, TIMING OFF, SUMMARY OFF, FORMAT XML',
		yaml => 'ANALYZE, WAL, TIMING OFF, SUMMARY OFF, FORMAT YAML', costs => 'VERBOSE',
		buffers => 'ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF',
	);
	# what is looked up for the first time is looked up again
	differ(undef, $_) for '', 'EXPLAIN ANALYZE ';
	differ("$on: the plan as $_", "EXPLAIN ($explain{$_}) ") for sort keys %explain;
	differ("$on: rows, messages and errors", '');
	differ("$on: all messages", "SET client_min_messages = debug1; ");
	differ("$on: a cursor", 'BEGIN; DECLARE c CURSOR FOR ', '; FETCH 2 FROM c; FETCH ALL FROM c; COMMIT');
	differ("$on: rows copied", 'COPY (', ') TO STDOUT');
	differ("$on: a table made of them", 'CREATE TEMP TABLE made AS ', '; SELECT * FROM made; DROP TABLE made');
	differ("$on: a prepared plan", 'SET plan_cache_mode = force_generic_plan; PREPARE p AS ',
		'; EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF) EXECUTE p; EXECUTE p; DEALLOCATE p');
	differ("$on: joined with a table of its own",
		'CREATE TEMP TABLE own AS SELECT 1 AS one; EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF) SELECT * FROM own, (', ') q; DROP TABLE own');
	differ("$on: why not", 'SELECT * FROM gpudb.why_not($q$', '$q$)');
	differ("$on: counters", "SELECT sum(count) AS n FROM gpudb.stat WHERE event <> 'refused' \\gset\n",
		"; SELECT sum(count) - :n FROM gpudb.stat WHERE event <> 'refused'");

	unlike(told("SET search_path = theirs, public; $_"), qr/seen/, "$on: a function of its own: $_")
	  for 'SELECT count(*) FROM pay WHERE tell(note)', 'SELECT count(*) FROM pay WHERE tell(salary) AND tell(note)',
	  'SELECT bool_and(tell(note)), count(*) FILTER (WHERE tell(salary)) FROM pay', 'SELECT tell(note), count(*) FROM pay GROUP BY 1',
	  'SELECT count(*) FROM pay JOIN guess g ON tell(note) AND tell(pay.salary + g.salary)';
	is(told("SELECT count(*) FROM gpudb.$_ WHERE relation = 'pay'::regclass"), "0\n", "$on: the view $_") for qw(tablets cache dictionaries progress);
	like(told($_), qr/permission denied|must be owner/, "$on: $_")
	  for q{SELECT gpudb.prewarm('pay')}, q{SELECT gpudb.prewarm('pay', '{note}')}, q{SELECT gpudb.evict('pay')}, q{SELECT gpudb.check('pay')},
	  'SELECT gpudb.stat_reset()', 'SET gpudb.debug_require = require', 'SET gpudb.debug_fail = 0', q{SET gpudb.debug_program = '/tmp/x'};
	is(told('SELECT count(memory_used) + count(cached) FROM gpudb.devices'), "0\n", "$on: memory of columns");

	times_differ($on, $_) for @times;
	$node->stop;
}

try_all('cpu device', "gpudb.device = cpu\n", qw(regular_expression larger by_zero width));
try_all("cpu in a GPU's place", "gpudb.device = gpu\ngpudb.provider = cpu\n", qw(regular_expression larger));
done_testing();
