/*
 * vm_launch.h
 *		What one launch of the tile VM on a GPU reads and writes.
 *
 * A launch runs a program over tiles of some tablets in device memory and
 * leaves rows of groups, which the host merges, or a bitmap of the rows that
 * passed.
 */
#ifndef GPUDB_CUDA_VM_LAUNCH_H
#define GPUDB_CUDA_VM_LAUNCH_H

#include "core/join_table.h"
#include "core/program.h"
#include "seek_launch.h"
#include "tallies.h"
#include "vm_code.h"

/* A register number that stands for a constant: one value for all lanes. */
#define CONSTANT		0x8000
/* A register number that stands for a slot of bools of the accumulator machine. */
#define BOOL_SLOT		0x4000

/* What the kernel of kernel_select.cu counts for a state. */
typedef enum SelectCount
{
	SELECT_ROWS,
	SELECT_NOT_NULL,
	SELECT_LESS,				/* than the bins; the rest of such a state is a tally */
	SELECT_ZEROS,				/* that are -0 */
	SELECT_LEAST,
	SELECT_LARGEST
} SelectCount;

#define SELECT_STATES 8

/* A program that counts the values of one column, and puts them into bins or collects them. */
typedef struct SelectForm
{
	bool		reads;
	bool		tallies;		/* it is such a program */
	bool		is_float;
	bool		collects;
	bool		gathers;		/* it collects more than a state has room for */
	bool		zeros;			/* some states are of -0, */
	bool		bounds;			/* or of the least and largest value */
	uint8_t		shift;			/* of bins */
	uint16_t	column;
	uint8_t		count[SELECT_STATES];	/* SelectCount of each state */
	int64_t		least;			/* where bins begin, or what is collected */
	int64_t		last;			/* that a bin has, or of those that are collected */
} SelectForm;

/* How a body runs on a device. */
typedef struct VmShape
{
	uint32_t	body;
	uint16_t	grouped;
	uint16_t	coded;			/* groups are found by the codes of their key columns */
	uint16_t	joins;			/* it looks into tables, keeps rows, asks about codes, or takes dates apart */
	uint16_t	loops;			/* rows become pairs, whose number nobody knows */
	uint16_t	aggregates;
	uint16_t	nstates;
	uint16_t	row_words;		/* of a group's row as blocks leave it */
	uint16_t	counted;		/* the sum, + 1, whose words count rows along, for state `counter`; 0: none */
	uint16_t	counter;
	uint32_t	registers;		/* slots of those that differ from lane to lane */
	uint32_t	nconstants;
	uint16_t	map[PROGRAM_MAX_REGISTERS]; /* the program's slots to these, or to CONSTANT | number, or to BOOL_SLOT | number */
	uint32_t	key_words;		/* of a group: NULL flags, keys */
	uint32_t	state_words;	/* of a group, those that stand once for each replica */
	uint32_t	single_words;	/* and those that stand once */
	uint32_t	replicas;		/* of states, at first */
	uint32_t	group_bytes;	/* for groups, without their hash table */
	uint32_t	nslots;			/* of their hash table */
	uint32_t	program_bytes;	/* copied into shared memory */
	uint32_t	shared_bytes;	/* of a block, all in all */
	uint32_t	ntallies;
	uint32_t	tallies_at;		/* in shared memory: the bins of each, 32 bits a bin */
	uint32_t	lanes;			/* of a thread: 2, 4 or 8 */
	uint32_t	places_at;		/* the accumulator machine's shared memory: block/fast_memory.cuh */
	uint32_t	groups_at;
	/* of each state: its kind there, its place in a row, in the words with replicas, in those that stand once */
	uint8_t		state_kind[PROGRAM_MAX_STATES];
	uint16_t	state_word[PROGRAM_MAX_STATES];
	uint16_t	state_at[PROGRAM_MAX_STATES];
	uint16_t	single_at[PROGRAM_MAX_STATES];
	SelectForm	select;			/* for the kernel that does nothing else, if it `tallies` */
	VmCode		code;			/* for the accumulator machine */
} VmShape;

/* In device memory; zeroed before a launch. */
typedef struct VmResult
{
	uint32_t	status;			/* DeviceStatus: the first failure */
	uint32_t	nrows;			/* group rows written, or wanted when that is more than fit */
} VmResult;

/* One of many tablets that a launch goes over. */
typedef struct VmPart
{
	const Tablet *tablet;		/* whose columns may stand anywhere */
	const uint64_t *selected;	/* a bitmap of its rows that count; NULL = all */
	uint32_t	tablet_rows;	/* one at least */
	uint32_t	first_tile;		/* of the launch */
} VmPart;

typedef struct VmLaunch
{
	const Program *program;		/* this and all below in device memory, or mapped there */
	const Tablet *tablet;		/* one, */
	uint32_t	end_row;
	uint32_t	nparts;			/* or so many parts */
	const VmPart *part;
	uint32_t	ntiles;			/* of all parts; tiles have vm_tile_rows() rows */
	const JoinRows *tables;		/* of joins: as many as the program has */
	const KeptRows *kept;		/* where rows are kept; NULL = nowhere */
	uint64_t   *rows;			/* group rows of shape.row_words */
	uint64_t   *hashes;
	uint32_t	row_capacity;
	uint64_t   *tallies;		/* of the launches of a batch: shape.ntallies of TALLY_WORDS, zeroed before the first one */
	SeekRoom   *seek;			/* of programs that seek: where they gather, */
	int64_t    *gathered;
	uint64_t	gather_capacity;
	uint32_t	sample;			/* and do nothing else, from one in so many rows of many parts, a power of two; 0 = from all */
	uint32_t	sum_bits;		/* vm_launch() sets it: what size of value a block's sums take without care */
	uint32_t   *passed;			/* of a program without aggregates: a bit a row of the tablet */
	VmResult   *result;
	uint64_t   *values;			/* tests: registers of the last tile; else NULL */
	uint8_t    *flags;			/* of each lane 1 = NULL, 2 = true */
	VmShape		shape;
} VmLaunch;

/* What the caller of vm_shape() wants. */
typedef struct VmWish
{
	uint32_t	lanes;			/* of a thread: 2, 4 or 8; 8 only for the accumulator machine */
	uint32_t	shared_limit;	/* bytes of shared memory that the device lets a block have */
	uint32_t	options;
	uint32_t	room;			/* with VM_MANY_GROUPS: groups that a block shall have room for; 0 = what is good for any number of them */
} VmWish;

#define VM_GENERAL	1			/* not the accumulator machine */
#define VM_KEEP		2			/* tests: keep every value that an instruction makes */
#define VM_CODED	8			/* if all keys are columns in frames of 8 bits: of no tablet have they more than CODE_BITS */
#define VM_MANY_GROUPS 4		/* so many that nearly every row may have its own; never TABLE_FULL but for want of rows */
#define VM_FEW_ROWS	16			/* with many groups: hardly any row has one */

#ifdef __cplusplus
extern "C" {
#endif

/*
 * How a body runs over tablets whose columns are stored like this one's, and
 * have NULLs only where this one has; only its header is looked at.  False if
 * it cannot.  A tablet that is not so ends a launch with BAD_PROGRAM.
 */
extern bool vm_shape(const Program *program, int body, const Tablet *tablet, const VmWish *wish, VmShape *shape);

/* Whether a body does no more than kernel_select.cu does, over such a tablet; part of vm_shape(). */
extern bool select_shape(const Program *program, int body, const Tablet *tablet, SelectForm *form);

/*
 * Make the accumulator machine's code of a body; its length is 0 when some
 * instruction has no form there.  Part of vm_shape().
 */
extern void vm_lower(const Program *program, int body, const Tablet *tablet, uint32_t options, VmShape *shape);

/*
 * The columns that are a program's keys, and how many they are; 0 if some key
 * is something else.  Bits of the codes that a column in a frame of 8 bits has,
 * by its zone map; more than 8 if it is not so, or may be NULL.
 */
#define CODE_BITS	10
#define CODE_SLOTS	(1u << CODE_BITS)
extern uint32_t vm_key_columns(const Program *program, int body, uint16_t *column);
extern uint32_t vm_code_bits(const TabletColumn *column);

/* The least and the largest code of a column in a frame of 8 bits, by its zone map; false if it has none. */
CORE_FN bool
codes_of_column(const TabletColumn *column, uint32_t *least, uint32_t *most)
{
	const Wide	low = (wide_load(column->min) - column->base) >> column->shift;
	const Wide	high = (wide_load(column->max) - column->base) >> column->shift;

	*least = (uint32_t) low;
	*most = (uint32_t) high;
	return column->type == COLTYPE_U8 && low >= 0 && low <= high && high <= UINT8_MAX;
}

/* Once for each context: let blocks have so much shared memory.  Returns a cudaError_t, as all below. */
extern int	vm_prepare(uint32_t shared_limit);

/* Rows of a tile. */
extern uint32_t vm_tile_rows(const VmShape *shape);

/* How many blocks of this shape a multiprocessor holds; 0 if none. */
extern int	vm_blocks_per_sm(const VmShape *shape);

/* Launch on a CUDA stream (0 = the default one), on so many blocks at most. */
extern int	vm_launch(const VmLaunch *launch, int blocks, void *stream);

#ifdef __cplusplus
}
#endif

#endif							/* GPUDB_CUDA_VM_LAUNCH_H */
