/*
 * lanes.cuh
 *		The shapes of instructions on a GPU: each thread owns VM_LANES lanes.
 *
 * Part of interp.h's contract, the counterpart of core/vm/lanes_loop.h.  Lane k
 * of a thread is lane k * VM_THREADS + threadIdx.x of the tile, so a warp
 * touches consecutive words.
 *
 * Registers lie in shared memory.  A thread accesses only the data of its own
 * lanes there, whatever kind of value a register holds: warps go through a
 * program independently, without barriers, and the compiler uses a register for
 * one kind after the other.  Words are therefore stored lane by lane, wide
 * values as two words in two slots, and NULL flags, bools and masks as one byte
 * a thread, bit k for lane k.
 */

#define VM_FN		static __device__ __forceinline__
#define VM_COLD		static __device__ __noinline__
#define VM_TILE		(VM_LANES * VM_THREADS)
/* layout of a register, in words: values, NULL flags, bools */
#define VM_STRIDE	(VM_TILE + 2 * VM_THREADS / 8)
#define VM_NULLS	(VM_STRIDE * 8)
#define VM_VALUES	block_values()
#define VM_FLAGS	((uint8_t *) (block_values() + VM_TILE))
#define VM_MASK(r)	(VM_FLAGS + (size_t) (r) * VM_NULLS + VM_THREADS)

#define THREAD		((int) threadIdx.x)
#define LANES		_Pragma("unroll") for (int k = 0, i = THREAD; k < VM_LANES; k++, i += VM_THREADS)
#define EVERY_LANE	((1u << VM_LANES) - 1)
#define BIT(byte)	(((byte) >> k) & 1u)

static __device__ __forceinline__ const uint64_t *
register_values(uint32_t number)
{
	return VM_VALUES + (size_t) number * VM_STRIDE;
}

static __device__ __forceinline__ const uint8_t *
register_flags(uint32_t number)
{
	return VM_FLAGS + (size_t) number * VM_NULLS + THREAD;
}

/* Return the NULL flags of an operand for a thread's lanes. */
static __device__ __forceinline__ uint32_t
operand_nulls(uint32_t number)
{
	return number & CONSTANT ? block_constant(number)->nulls : *register_flags(number);
}

/* Return the value of type T that two words hold. */
template <typename T> static __device__ __forceinline__ T
typed(uint64_t low, uint64_t high) { return (T) low; }

template <> __device__ __forceinline__ double
typed<double>(uint64_t low, uint64_t high) { return __longlong_as_double((long long) low); }

template <> __device__ __forceinline__ Wide
typed<Wide>(uint64_t low, uint64_t high) { return (Wide) ((UWide) high << 64 | low); }

/* An operand of type T: a register, or a constant. */
template <typename T> struct Operand
{
	const uint64_t *v;
	T			value;
	bool		constant;

	__device__ __forceinline__ Operand(uint32_t number): v(register_values(number)), constant(number & CONSTANT)
	{
		if (constant)
			value = typed<T>(block_constant(number)->words[0], block_constant(number)->words[1]);
	}
	__device__ __forceinline__ T at(int k, int i) const
	{
		return constant ? value : typed<T>(v[i], sizeof(T) == 16 ? v[VM_STRIDE + i] : 0);
	}
};

template <> struct Operand<uint8_t>
{
	uint32_t	bits;

	__device__ __forceinline__ Operand(uint32_t number):
		bits(number & CONSTANT ? block_constant(number)->bools : register_flags(number)[VM_THREADS]) {}
	__device__ __forceinline__ uint8_t at(int k, int i) const { return (uint8_t) BIT(bits); }
};

/* A result of type T, in a register. */
template <typename T> struct Result
{
	uint64_t   *v;

	__device__ __forceinline__ Result(uint64_t *values): v(values) {}
	__device__ __forceinline__ void put(int k, int i, T value) { v[i] = (uint64_t) value; }
	__device__ __forceinline__ void end(uint8_t *flags, uint32_t nulls) { flags[THREAD] = (uint8_t) nulls; }
};

template <> __device__ __forceinline__ void
Result<double>::put(int k, int i, double value) { v[i] = (uint64_t) __double_as_longlong(value); }

template <> __device__ __forceinline__ void
Result<Wide>::put(int k, int i, Wide value) { v[i] = (uint64_t) value; v[VM_STRIDE + i] = (uint64_t) ((UWide) value >> 64); }

template <> struct Result<uint8_t>
{
	uint32_t	bits;

	__device__ __forceinline__ Result(uint64_t *values): bits(0) {}
	__device__ __forceinline__ void put(int k, int i, uint8_t value) { bits |= (uint32_t) value << k; }
	__device__ __forceinline__ void end(uint8_t *flags, uint32_t nulls)
	{
		flags[THREAD] = (uint8_t) nulls;
		flags[VM_THREADS + THREAD] = (uint8_t) bits;
	}
};

#define NULL_A		BIT(na)
#define NULL_B		BIT(nb)
#define BOOL_A		((uint8_t) BIT(ba))
#define BOOL_B		((uint8_t) BIT(bb))
#define WORD_A		oa.at(k, i)
#define WORD_B		ob.at(k, i)
#define LOW_A		((uint64_t) Operand<Wide>(in->a).at(k, i))
#define HIGH_A		((uint64_t) ((UWide) Operand<Wide>(in->a).at(k, i) >> 64))
#define IN_MASK		BIT(active)
#define SELECTED	BIT(selection[THREAD])

#define FILTER(expr) \
	do { \
		const uint32_t na = operand_nulls(in->a), ba = Operand<uint8_t>(in->a).bits; \
		uint32_t	pass = 0; \
		LANES pass |= (uint32_t) (expr) << k; \
		selection[THREAD] &= (uint8_t) pass; \
	} while (0)
#define STRICT1(dtype, atype, expr) \
	do { \
		const Operand<atype> oa(in->a); \
		const uint32_t active = mask[THREAD]; \
		Result<dtype> d(vd); \
		LANES { const atype a = oa.at(k, i); d.put(k, i, (dtype) (expr)); } \
		(void) active; \
		d.end(dn, operand_nulls(in->a)); \
	} while (0)
#define STRICT2(dtype, atype, expr) \
	do { \
		const Operand<atype> oa(in->a), ob(in->b); \
		Result<dtype> d(vd); \
		LANES { const atype a = oa.at(k, i); const atype b = ob.at(k, i); d.put(k, i, (dtype) (expr)); } \
		d.end(dn, operand_nulls(in->a) | operand_nulls(in->b)); \
	} while (0)
#define CHECKED1(dtype, atype, expr) \
	do { \
		const Operand<atype> oa(in->a); \
		const uint32_t nulls = operand_nulls(in->a); \
		const uint32_t active = mask[THREAD] & ~nulls; \
		Result<dtype> d(vd); \
		LANES { uint32_t e = 0; const atype a = oa.at(k, i); d.put(k, i, (dtype) (expr)); error |= e & BIT(active); } \
		d.end(dn, nulls); \
	} while (0)
#define CHECKED_MIXED(dtype, atype, btype, expr) \
	do { \
		const Operand<atype> oa(in->a); \
		const Operand<btype> ob(in->b); \
		const uint32_t nulls = operand_nulls(in->a) | operand_nulls(in->b); \
		const uint32_t active = mask[THREAD] & ~nulls; \
		Result<dtype> d(vd); \
		LANES { uint32_t e = 0; const atype a = oa.at(k, i); const btype b = ob.at(k, i); \
				d.put(k, i, (dtype) (expr)); error |= e & BIT(active); } \
		d.end(dn, nulls); \
	} while (0)
#define CHECKED2(dtype, atype, expr) CHECKED_MIXED(dtype, atype, atype, expr)
#define LOGIC2(value, null) \
	do { \
		const uint32_t na = operand_nulls(in->a), nb = operand_nulls(in->b); \
		const Operand<uint8_t> oa(in->a), ob(in->b); \
		Result<uint8_t> d(vd); \
		uint32_t	nulls = 0; \
		LANES { const uint8_t a = oa.at(k, i); const uint8_t b = ob.at(k, i); \
				d.put(k, i, (value)); nulls |= (uint32_t) (null) << k; } \
		d.end(dn, nulls); \
	} while (0)
#define BLEND(type) \
	do { \
		const Operand<type> oa(in->a), ob(in->b); \
		const uint32_t active = mask[THREAD]; \
		Result<type> d(vd); \
		LANES d.put(k, i, IN_MASK ? oa.at(k, i) : ob.at(k, i)); \
		d.end(dn, (operand_nulls(in->a) & active) | (operand_nulls(in->b) & ~active)); \
	} while (0)
#define TEST(expr) \
	do { \
		const uint32_t na = operand_nulls(in->a), ba = Operand<uint8_t>(in->a).bits, bb = Operand<uint8_t>(in->b).bits; \
		Result<uint8_t> d(vd); \
		LANES d.put(k, i, (uint8_t) (expr)); \
		(void) na, (void) ba, (void) bb; \
		d.end(dn, 0); \
	} while (0)
#define FILL(type, value) \
	do { \
		Result<type> d(vd); \
		LANES d.put(k, i, (type) (value)); \
		d.end(dn, in->c ? EVERY_LANE : 0); \
	} while (0)
/* The NULL flags of a loaded column are those that vm_load_nulls() has stored. */
#define COPY(dtype, stype, expr) \
	do { \
		const stype *src = (const stype *) tablet_at(tablet, column->values) + first; \
		Result<dtype> d(vd); \
		LANES { const stype v = (uint32_t) i < n ? src[i] : (stype) 0; d.put(k, i, (dtype) (expr)); } \
		d.end(dn, dn[THREAD]); \
	} while (0)
#define FILL_COLUMN(dtype, value) \
	do { \
		Result<dtype> d(vd); \
		LANES d.put(k, i, (dtype) (value)); \
		d.end(dn, dn[THREAD]); \
	} while (0)
#define TEXT2(expr) \
	do { \
		const Operand<uint64_t> oa(in->a), ob(in->b); \
		const uint32_t nulls = operand_nulls(in->a) | operand_nulls(in->b); \
		const uint32_t active = mask[THREAD] & ~nulls; \
		Result<uint8_t> d(vd); \
		LANES { const uint64_t a = oa.at(k, i); const uint64_t b = ob.at(k, i); \
				d.put(k, i, IN_MASK ? (uint8_t) (expr) : 0); } \
		d.end(dn, nulls); \
	} while (0)
#define HASH(expr) \
	do { \
		const uint32_t na = operand_nulls(in->a); \
		const Operand<uint64_t> oa(in->a), ob(in->b); \
		LANES vd[i] = (expr); \
	} while (0)
