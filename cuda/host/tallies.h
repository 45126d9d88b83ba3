/*
 * tallies.h
 *		Tallies: aggregate states that count or collect many values, and their
 *		transfer from the device.
 *
 * Blocks write only the first word of such a state into their rows: the number
 * of lesser values, a count like any other.  All other words are a tally,
 * which the blocks of a batch share: they add their bins to it, or append
 * their values.  The host combines the two.
 */
#ifndef GPUDB_CUDA_HOST_TALLIES_H
#define GPUDB_CUDA_HOST_TALLIES_H

#include "core/vm/op_select.h"
#include "core/vm/program.h"

/* Words of a tally: bins, or the number of values followed by the values. */
#define TALLY_WORDS SELECT_BINS

/* Bytes of device memory that are always reserved for tallies, and for rows beside them. */
#define TALLIES_BYTES ((uint64_t) 1024 * 1024)

CORE_FN bool
state_has_tally(uint32_t kind)
{
	return kind == STATE_BINS || kind == STATE_VALUES;
}

/*
 * Compute the states of a program's rows as blocks write them; return the
 * words of a row, and the number of states with tallies in *ntallies.
 */
CORE_FN uint16_t
rows_without_tallies(const Program *program, uint8_t *kind, uint16_t *word, uint32_t *ntallies)
{
	uint32_t	tallies = 0;

	for (uint32_t s = 0; s < program->nstates; s++)
	{
		const bool	has = state_has_tally(program->state_kind[s]);

		kind[s] = has ? (uint8_t) STATE_COUNT : program->state_kind[s];
		word[s] = (uint16_t) (program->state_word[s] - tallies * TALLY_WORDS);
		tallies += has;
	}
	*ntallies = tallies;
	return (uint16_t) (program->row_words - tallies * TALLY_WORDS);
}

/* Return the number of a state's tally. */
CORE_FN uint32_t
tally_of_state(const Program *program, uint32_t state)
{
	uint32_t	number = 0;

	for (uint32_t s = 0; s < state; s++)
		number += state_has_tally(program->state_kind[s]);
	return number;
}

#endif							/* GPUDB_CUDA_HOST_TALLIES_H */
