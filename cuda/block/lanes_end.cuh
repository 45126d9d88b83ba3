/*
 * lanes_end.cuh
 *		Undefines what lanes.cuh defines.
 */
#include "core/vm/lanes_end.h"

#undef THREAD
#undef EVERY_LANE
#undef BIT
