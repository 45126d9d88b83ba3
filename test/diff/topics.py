"""What some queries are about, beside those of queries.py: see the modules' own words."""

import random

import collations
import cursors
import limits
import narrow
import sets
import subqueries

# module -> how many of so many
TOPICS = {sets: 4, limits: 4, cursors: 5, collations: 3, subqueries: 4, narrow: 3}
NAMES = [module.__name__ for module in TOPICS]


def topic_of(seed, number, share, only=()):
    """The topic of a query's number, or none; so many per cent have one."""
    rng = random.Random(f"{seed} topics {number}")
    chance = rng.random()
    module = rng.choices(list(TOPICS), TOPICS.values())[0]
    if only:
        module = rng.choice([m for m in TOPICS if m.__name__ in only])
    return module if chance * 100 < share else None


def query_about(module, queries, joins, world):
    """A query about something; the third connection, which has the cursors, sees no temporary table."""
    if module is cursors:
        queries.tables = [table for table in queries.tables if not table.temporary] or queries.tables
    if module in (collations, narrow):
        own = world.words if module is collations else world.narrow
        return module.query(queries.rng, own)._replace(topic=module.__name__)
    return module.query(queries, joins)._replace(topic=module.__name__)
