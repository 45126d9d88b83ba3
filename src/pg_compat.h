/*
 * pg_compat.h
 *		Differences among PostgreSQL 15 to 18: the only file that tests PG_VERSION_NUM.
 */
#ifndef GPUDB_PG_COMPAT_H
#define GPUDB_PG_COMPAT_H

#include "postgres.h"

#include "access/heapam.h"
#include "access/relscan.h"
#include "access/tableam.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/shmem.h"
#include "utils/guc.h"

#if PG_VERSION_NUM < 150000 || PG_VERSION_NUM >= 190000
#error "gpudb supports PostgreSQL 15 to 18"
#endif

/*
 * Let PostgreSQL decide which tuples of a block the scan's snapshot sees.
 * Afterwards scan->rs_vistuples lists scan->rs_ntuples of them and rs_cbuf is
 * pinned, until the next call.  Conflicts are checked as in any scan.
 */
static inline void
compat_prepare_page(HeapScanDesc scan, BlockNumber block)
{
#if PG_VERSION_NUM >= 170000
	if (BufferIsValid(scan->rs_cbuf))
		ReleaseBuffer(scan->rs_cbuf);
	scan->rs_cbuf = ReadBufferExtended(scan->rs_base.rs_rd, MAIN_FORKNUM, block, RBM_NORMAL, scan->rs_strategy);
	scan->rs_cblock = block;
	heap_prepare_pagescan((TableScanDesc) scan);
#else
	heapgetpage((TableScanDesc) scan, block);
#endif
}

#endif							/* GPUDB_PG_COMPAT_H */
