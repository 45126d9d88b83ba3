/*
 * compile_date.c
 *		Compilation of date arithmetic and of EXTRACT.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "pgtime.h"
#include "utils/builtins.h"

#include "core/vm/op_date.h"

#include "compile/compiler.h"

/* Compile date + days or date - days. */
bool
compile_date_add(Compiler *c, bool subtract, const Operand *day, const Operand *days, Operand *out)
{
	int			vreg = days->vreg;

	if (subtract)
		vreg = emit(&c->em, VMOP_SUB_D, int_constant(c, 0), vreg, 0, 0);
	*out = int_operand(emit(&c->em, VMOP_ADD_DATE, day->vreg, vreg, c->mask, 0), day->nullable || days->nullable);
	return true;
}

/* Field names as the grammar of EXTRACT produces them. */
static const struct
{
	const char *name;
	DateField	field;
}			fields[] = {
	{"year", FIELD_YEAR}, {"quarter", FIELD_QUARTER}, {"month", FIELD_MONTH}, {"day", FIELD_DAY},
	{"dow", FIELD_DOW}, {"isodow", FIELD_ISODOW}, {"doy", FIELD_DOY},
	{"hour", FIELD_HOUR}, {"minute", FIELD_MINUTE}, {"second", FIELD_SECOND_USECS},
};

static bool
find_field(const Operand *name, DateField *field)
{
	const char *unit;

	if (name->constant == NULL || name->constant->constisnull)
		return false;
	unit = TextDatumGetCString(name->constant->constvalue);
	for (int i = 0; i < lengthof(fields); i++)
		if (strcmp(fields[i].name, unit) == 0)
		{
			*field = fields[i].field;
			return true;
		}
	return false;
}

/* Return true if the session's time zone has a constant offset of 0, so that a timestamptz is its own local time. */
static bool
zone_is_utc(void)
{
	long		offset;

	return pg_get_timezone_offset(session_timezone, &offset) && offset == 0;
}

/*
 * Compile extract(name from a), which is numeric, or date_part(name, a), which
 * is float8.  Units that a type does not have are refused; for infinite dates
 * the instructions report a failure, and PostgreSQL evaluates them.
 */
bool
compile_date_field(Compiler *c, Oid type, bool numeric, const Operand *name, const Operand *a, Operand *out)
{
	DateField	field;
	int			vreg = a->vreg;

	if (!find_field(name, &field) || (type == DATEOID && field >= FIELD_HOUR) || (type == TIMEOID && field < FIELD_HOUR))
		return refuse(c, REASON_EXPRESSION);
	if (type == TIMESTAMPTZOID && !zone_is_utc())
		return refuse(c, REASON_EXPRESSION);
	if (field >= FIELD_HOUR)
		vreg = emit(&c->em, VMOP_PART_TIME, vreg, 0, c->mask,
					type == TIMEOID && field == FIELD_HOUR ? FIELD_HOUR_OF_TIME : field);
	else
	{
		if (type != DATEOID)
			vreg = emit(&c->em, VMOP_TS_TO_DATE, vreg, 0, 0, 0);
		vreg = emit(&c->em, VMOP_PART_DATE, vreg, 0, c->mask, field);
	}
	*out = int_operand(vreg, a->nullable);
	if (numeric)
	{
		*out = decimal_of_int(c, out);
		if (field == FIELD_SECOND_USECS)
			out->scale = out->dscale = 6;
	}
	else if (field == FIELD_SECOND_USECS)
		/* date_part() adds whole seconds and their fraction as floats: digits may differ */
		return refuse(c, REASON_EXPRESSION);
	else
	{
		out->class = CLASS_FLOAT;
		out->vreg = emit(&c->em, VMOP_INT_TO_F8, vreg, 0, 0, 0);
	}
	return true;
}
