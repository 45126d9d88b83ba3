/*
 * vm_launch.h
 *		A launch of the tile VM on a GPU: the interface to the host.
 *
 * A launch runs a program over tiles of some tablets in device memory and
 * writes rows of groups, which the host merges, or a bitmap of the rows that
 * passed.
 */
#ifndef GPUDB_CUDA_KERNELS_VM_LAUNCH_H
#define GPUDB_CUDA_KERNELS_VM_LAUNCH_H

#include "core/join/join_table.h"
#include "core/vm/program.h"
#include "host/tallies.h"
#include "kernels/seek_launch.h"
#include "lower/vm_code.h"

/* Flag of a register number that denotes a constant: one value for all lanes. */
#define CONSTANT		0x8000
/* Flag of a register number that denotes a bool slot of the accumulator machine. */
#define BOOL_SLOT		0x4000

/* Values that the kernel of kernel_select.cu counts for a state. */
typedef enum SelectCount
{
	SELECT_ROWS,
	SELECT_NOT_NULL,
	SELECT_LESS,				/* number of values less than the bins; the other words of the state are a tally */
	SELECT_ZEROS,				/* number of values that are -0 */
	SELECT_LEAST,
	SELECT_LARGEST
} SelectCount;

#define SELECT_STATES 8

/* A program that counts the values of one column, in bins, or collects them. */
typedef struct SelectForm
{
	bool		reads;
	bool		tallies;		/* the program has this form */
	bool		is_float;
	bool		collects;
	bool		gathers;		/* the program collects more values than a state has room for */
	bool		zeros;			/* some states count -0 */
	bool		bounds;			/* some states are the least or the largest value */
	uint8_t		shift;			/* log2 of the width of a bin */
	uint16_t	column;
	uint8_t		count[SELECT_STATES];	/* SelectCount of each state */
	int64_t		least;			/* least value of the bins, or of the values that are collected */
	int64_t		last;			/* largest value of the bins, or of the values that are collected */
} SelectForm;

/* Layout and code with which a body runs on a device. */
typedef struct VmShape
{
	uint32_t	body;
	uint16_t	grouped;
	uint16_t	dense;			/* groups are found by a dense index of their key columns */
	uint16_t	joins;			/* body joins, materializes rows, tests dictionary codes, or extracts date fields */
	uint16_t	loops;			/* rows become pairs, whose number is not known */
	uint16_t	aggregates;
	uint16_t	nstates;
	uint16_t	row_words;		/* words of a group's row as blocks write it */
	uint16_t	counted;		/* number + 1 of the sum whose words count rows along, for state `counter`; 0: none */
	uint16_t	counter;
	uint32_t	registers;		/* register slots that differ from lane to lane */
	uint32_t	nconstants;
	uint16_t	map[PROGRAM_MAX_REGISTERS]; /* map of program slots to registers, CONSTANT | n or BOOL_SLOT | n */
	uint32_t	key_words;		/* words of a group: NULL flags, keys */
	uint32_t	state_words;	/* words of a group's states that have replicas */
	uint32_t	single_words;	/* words of a group's states that have no replicas */
	uint32_t	replicas;		/* initial number of replicas of states */
	uint32_t	group_bytes;	/* bytes for groups, without their hash table */
	uint32_t	nslots;			/* slots of the groups' hash table */
	uint32_t	program_bytes;	/* bytes of the program copied into shared memory */
	uint32_t	shared_bytes;	/* bytes of shared memory per block, in total */
	uint32_t	ntallies;
	uint32_t	tallies_at;		/* position in shared memory of the bins of each tally, 32 bits a bin */
	uint32_t	lanes;			/* lanes per thread: 2, 4 or 8 */
	uint32_t	places_at;		/* the accumulator machine's shared memory: block/fast_memory.cuh */
	uint32_t	groups_at;
	/* members for each state: kind in a row, position in a row, in the words with replicas, in those without */
	uint8_t		state_kind[PROGRAM_MAX_STATES];
	uint16_t	state_word[PROGRAM_MAX_STATES];
	uint16_t	state_at[PROGRAM_MAX_STATES];
	uint16_t	single_at[PROGRAM_MAX_STATES];
	SelectForm	select;			/* form of the program for kernel_select.cu, which runs it if `tallies` is set */
	VmCode		code;			/* code of the accumulator machine */
} VmShape;

/* Result of a launch, in device memory; zeroed before a launch. */
typedef struct VmResult
{
	uint32_t	status;			/* DeviceStatus: the first failure */
	uint32_t	nrows;			/* group rows written, or required if that is more than the capacity */
} VmResult;

/* Part of a launch: a tablet. */
typedef struct VmPart
{
	const Tablet *tablet;		/* tablet; its columns may be anywhere */
	const uint64_t *selected;	/* bitmap of the rows to process; NULL = all */
	uint32_t	tablet_rows;	/* number of rows, at least one */
	uint32_t	first_tile;		/* number of the part's first tile in the launch */
} VmPart;

typedef struct VmLaunch
{
	const Program *program;		/* pointers from here on are to device memory, or to mapped host memory */
	const Tablet *tablet;		/* the only tablet, or NULL with parts */
	uint32_t	end_row;
	uint32_t	nparts;			/* number of parts, or 0 */
	const VmPart *part;
	uint32_t	ntiles;			/* tiles of all parts; a tile has vm_tile_rows() rows */
	const JoinRows *tables;		/* join tables, as many as the program has */
	const MaterializedRows *materialized; /* destination of materialized rows; NULL = none */
	uint64_t   *rows;			/* group rows of shape.row_words words */
	uint64_t   *hashes;
	uint32_t	row_capacity;
	uint64_t   *tallies;		/* tallies of all launches of a batch: shape.ntallies of TALLY_WORDS, zeroed at first */
	SeekRoom   *seek;			/* quantile selection: destination of gathered values */
	int64_t    *gathered;
	uint64_t	gather_capacity;
	uint32_t	sample;			/* not 0: only gather values of one in `sample` rows of many parts, a power of two */
	uint32_t	sum_bits;		/* set by vm_launch(): bits of a value with which a block's sums cannot overflow */
	uint32_t   *passed;			/* out: bitmap of the tablet's rows that passed, without aggregates */
	VmResult   *result;
	uint64_t   *values;			/* tests: registers of the last tile; else NULL */
	uint8_t    *flags;			/* tests: flags of each lane: 1 = NULL, 2 = true */
	VmShape		shape;
} VmLaunch;

/* Requirements of the caller of vm_shape(). */
typedef struct VmWish
{
	uint32_t	lanes;			/* lanes per thread: 2, 4 or 8; 8 only for the accumulator machine */
	uint32_t	shared_limit;	/* bytes of shared memory that a block may have on the device */
	uint32_t	options;
	uint32_t	room;			/* VM_MANY_GROUPS: groups for which a block must have room; 0 = unknown */
} VmWish;

#define VM_GENERAL	1			/* use the interpreter */
#define VM_KEEP		2			/* tests: store every value that an instruction makes */
#define VM_DENSE	8			/* dense index of the keys, all 8-bit columns, has at most CODE_BITS in each tablet */
#define VM_MANY_GROUPS 4		/* nearly every row may have its own group; TABLE_FULL only for lack of room for rows */
#define VM_FEW_ROWS	16			/* hardly any row has a group; only with VM_MANY_GROUPS */

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Choose how a body runs over tablets whose columns are stored like those of
 * `tablet`, with NULLs only in columns in which it has some; only its
 * descriptor is read.  Returns false if the device cannot run the body.  A
 * launch over a tablet of another form ends with BAD_PROGRAM.
 */
extern bool vm_shape(const Program *program, int body, const Tablet *tablet, const VmWish *wish, VmShape *shape);

/*
 * Return true if kernel_select.cu can run a body over tablets like this one,
 * and describe the body in *form.  Part of vm_shape().
 */
extern bool select_shape(const Program *program, int body, const Tablet *tablet, SelectForm *form);

/*
 * Make the accumulator machine's code of a body; its length is 0 if some
 * instruction has no form there.  Part of vm_shape().
 */
extern void vm_lower(const Program *program, int body, const Tablet *tablet, uint32_t options, VmShape *shape);

/*
 * Keys for a dense index: vm_key_columns() stores the columns that are a
 * program's keys, and returns their number; 0 if some key is something else.
 * vm_code_bits() returns the bits of the stored values of an 8-bit
 * frame-of-reference encoded column, by its zone map; more than 8 if the
 * column is not of this form or may be NULL.
 */
#define CODE_BITS	10
#define DENSE_SLOTS	(1u << CODE_BITS)
extern uint32_t vm_key_columns(const Program *program, int body, uint16_t *column);
extern uint32_t vm_code_bits(const TabletColumn *column);

/*
 * Compute the least and the largest stored value of an 8-bit
 * frame-of-reference encoded column, by its zone map; return false if it has
 * none.
 */
CORE_FN bool
codes_of_column(const TabletColumn *column, uint32_t *least, uint32_t *most)
{
	const Wide	low = (wide_load(column->min) - column->base) >> column->shift;
	const Wide	high = (wide_load(column->max) - column->base) >> column->shift;

	*least = (uint32_t) low;
	*most = (uint32_t) high;
	return column->type == COLTYPE_U8 && low >= 0 && low <= high && high <= UINT8_MAX;
}

/* Allow blocks to use `shared_limit` bytes of shared memory, once for each context.  Returns a cudaError_t. */
extern int	vm_prepare(uint32_t shared_limit);

/* Return the number of rows of a tile. */
extern uint32_t vm_tile_rows(const VmShape *shape);

/* Return how many blocks of this shape fit on a multiprocessor; 0 if none. */
extern int	vm_blocks_per_sm(const VmShape *shape);

/* Launch on a CUDA stream (0 = the default one), with at most `blocks` blocks.  Returns a cudaError_t. */
extern int	vm_launch(const VmLaunch *launch, int blocks, void *stream);

#ifdef __cplusplus
}
#endif

#endif							/* GPUDB_CUDA_KERNELS_VM_LAUNCH_H */
