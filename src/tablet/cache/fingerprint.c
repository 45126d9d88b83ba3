/*
 * fingerprint.c
 *		Hash of an attribute's definition, by which a cached column is known to be of this attribute.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/tupdesc_details.h"
#include "utils/datum.h"

#include "core/hash.h"
#include "tablet/cache/fingerprint.h"
#include "tablet/cache/without_rule.h"

uint64
tablet_fingerprint(TupleDesc desc, AttrNumber attno)
{
	Form_pg_attribute att = TupleDescAttr(desc, attno - 1);
	AttrMissing *missing = desc->constr != NULL && desc->constr->missing != NULL ? &desc->constr->missing[attno - 1] : NULL;
	struct
	{
		Oid			type;
		int32		typmod;
		Oid			collation;
		int16		length;
		char		align;
		bool		has_missing;
	}			form = {att->atttypid, att->atttypmod, att->attcollation, att->attlen, att->attalign, missing != NULL && missing->am_present};
	uint64		hash = hash_bytes((const uint8_t *) &form, sizeof(form));

	if (!FOLLOWS(RULE_FINGERPRINT))
		return 0;
	if (form.has_missing)
		hash = hash_combine(hash, datum_image_hash(missing->am_value, att->attbyval, att->attlen));
	return hash;
}
