/*
 * lanes_loop.h
 *		The shapes of instructions on a CPU: loops over the lanes of a tile.
 *
 * Part of interp.h's contract.  gcc vectorises the loops where the operation allows.  NULL flags,
 * bools and masks take a byte a lane, group numbers 32 bits, wide values 128 contiguous bits.
 *
 * A tile of rows has VM_TILE lanes, however few of them are active.  A tile of pairs has run->lanes
 * lanes: the number of pairs, rounded up to a multiple of LANE_BLOCK, which divides VM_TILE.
 */

#define LANE_BLOCK	64

#define VM_FN		static
#define VM_COLD		static
#define VM_STRIDE	VM_TILE
#define VM_NULLS	VM_TILE
#define VM_VALUES	run->values
#define VM_FLAGS	run->nulls
#define VM_MASK(r)	((uint8_t *) (run->values + (size_t) (r) * VM_TILE))

#define EACH_LANE	for (int i = 0, lanes = (int) (run->lanes & ~(LANE_BLOCK - 1u)); i < lanes; i++)
#define LANES		CORE_INDEPENDENT EACH_LANE
#define NULL_A		an[i]
#define NULL_B		bn[i]
#define BOOL_A		((const uint8_t *) va)[i]
#define BOOL_B		((const uint8_t *) vb)[i]
#define WORD_A		va[i]
#define WORD_B		vb[i]
#define LOW_A		va[2 * i]
#define HIGH_A		va[2 * i + 1]
#define IN_MASK		mask[i]
#define SELECTED	selection[i]

#define FILTER(expr) \
	LANES selection[i] &= (uint8_t) (expr)
#define STRICT1(dtype, atype, expr) \
	LANES { atype a = ((const atype *) va)[i]; ((dtype *) vd)[i] = (dtype) (expr); dn[i] = an[i]; }
#define STRICT2(dtype, atype, expr) \
	LANES { atype a = ((const atype *) va)[i]; atype b = ((const atype *) vb)[i]; \
			((dtype *) vd)[i] = (dtype) (expr); dn[i] = an[i] | bn[i]; }
#define CHECKED1(dtype, atype, expr) \
	LANES { uint32_t e = 0; atype a = ((const atype *) va)[i]; ((dtype *) vd)[i] = (dtype) (expr); \
			dn[i] = an[i]; error |= e & mask[i] & (an[i] ^ 1u); }
#define CHECKED_MIXED(dtype, atype, btype, expr) \
	LANES { uint32_t e = 0; atype a = ((const atype *) va)[i]; btype b = ((const btype *) vb)[i]; \
			((dtype *) vd)[i] = (dtype) (expr); \
			dn[i] = an[i] | bn[i]; error |= e & mask[i] & ((an[i] | bn[i]) ^ 1u); }
#define CHECKED2(dtype, atype, expr) CHECKED_MIXED(dtype, atype, atype, expr)
#define LOGIC2(value, null) \
	LANES { uint8_t a = ((const uint8_t *) va)[i]; uint8_t b = ((const uint8_t *) vb)[i]; \
			((uint8_t *) vd)[i] = (value); dn[i] = (null); }
#define BLEND(type) \
	LANES { ((type *) vd)[i] = mask[i] ? ((const type *) va)[i] : ((const type *) vb)[i]; \
			dn[i] = mask[i] ? an[i] : bn[i]; }
#define TEST(expr) \
	LANES { ((uint8_t *) vd)[i] = (uint8_t) (expr); dn[i] = 0; }
#define FILL(type, value) \
	LANES { ((type *) vd)[i] = (value); dn[i] = (uint8_t) in->c; }
#define COPY(dtype, stype, expr) \
	do { \
		const stype *src = (const stype *) tablet_at(tablet, column->values) + first; \
		for (uint32_t i = 0; i < n; i++) { stype v = src[i]; ((dtype *) vd)[i] = (dtype) (expr); } \
		for (uint32_t i = n; i < VM_TILE; i++) \
			((dtype *) vd)[i] = 0; \
	} while (0)
#define FILL_COLUMN(dtype, value) \
	LANES ((dtype *) vd)[i] = (dtype) (value)
#define TEXT2(expr) \
	LANES { uint64_t a = ((const uint64_t *) va)[i]; uint64_t b = ((const uint64_t *) vb)[i]; \
			dn[i] = an[i] | bn[i]; \
			((uint8_t *) vd)[i] = (mask[i] & (dn[i] ^ 1)) ? (uint8_t) (expr) : 0; }
#define HASH(expr) \
	LANES vd[i] = (expr)
