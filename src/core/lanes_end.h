/*
 * lanes_end.h
 *		Undefines the macros of interp.h's contract, whichever device defined them.
 */
#undef VM_FN
#undef VM_TILE
#undef VM_NULLS
#undef VM_VALUES
#undef VM_FLAGS
#undef LANES
#undef NULL_A
#undef NULL_B
#undef IN_MASK
#undef SELECTED
#undef FILTER
#undef STRICT1
#undef STRICT2
#undef CHECKED1
#undef CHECKED_MIXED
#undef CHECKED2
#undef LOGIC2
#undef BLEND
#undef TEST
#undef FILL
#undef COPY
#undef FILL_COLUMN
#undef TEXT2
#undef HASH
#undef VM_MASK
#undef BOOL_A
#undef BOOL_B
#undef WORD_A
#undef WORD_B
#undef LOW_A
#undef HIGH_A
#undef VM_REST
#undef VM_STRIDE
