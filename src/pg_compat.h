/*
 * pg_compat.h
 *		Differences between PostgreSQL 15, 16, 17 and 18: the only file that tests PG_VERSION_NUM.
 */
#ifndef GPUDB_PG_COMPAT_H
#define GPUDB_PG_COMPAT_H

#include "postgres.h"

#include "access/attmap.h"
#include "access/genam.h"
#include "access/heapam.h"
#include "access/relscan.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "commands/explain.h"
#include "common/relpath.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/buf_internals.h"
#include "storage/bufmgr.h"
#include "storage/shmem.h"
#include "utils/acl.h"
#include "utils/guc.h"
#include "utils/pg_locale.h"
#include "utils/rel.h"
#if PG_VERSION_NUM >= 160000
#include "utils/relfilenumbermap.h"
#include "varatt.h"
#else
#include "utils/relfilenodemap.h"
#endif

#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#endif

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

/* Begin a scan of a table by an index. */
static inline IndexScanDesc
compat_index_beginscan(Relation heap, Relation index, Snapshot snapshot, int nkeys)
{
#if PG_VERSION_NUM >= 180000
	return index_beginscan(heap, index, snapshot, NULL, nkeys, 0);
#else
	return index_beginscan(heap, index, snapshot, nkeys, 0);
#endif
}

/* Map each attribute of `for_each` to the attribute of `of` with the same name. */
static inline AttrMap *
compat_attributes_by_name(TupleDesc of, TupleDesc for_each)
{
#if PG_VERSION_NUM >= 160000
	return build_attrmap_by_name(of, for_each, false);
#else
	return build_attrmap_by_name(of, for_each);
#endif
}

/* Raise "snapshot too old" as PostgreSQL does on a page that it reads. */
#if PG_VERSION_NUM >= 170000
#define compat_test_old_snapshot(snapshot, relation, page) ((void) 0)
#else
#define compat_test_old_snapshot(snapshot, relation, page) TestForOldSnapshot(snapshot, relation, page)
#endif

/*
 * Leave parallel mode, so that a subtransaction can begin: PostgreSQL 15 and 16
 * allow none in parallel mode, which a process may leave as long as no worker
 * runs for it.  Returns how often compat_enter_parallel_mode() has to enter it
 * again; after an error the end of the transaction resets the mode.
 */
static inline int
compat_leave_parallel_mode(void)
{
	int			levels = 0;

#if PG_VERSION_NUM < 170000
	for (; IsInParallelMode(); levels++)
		ExitParallelMode();
#endif
	return levels;
}

static inline void
compat_enter_parallel_mode(int levels)
{
	for (; levels > 0; levels--)
		EnterParallelMode();
}

/* Locator of a relation's files. */
#if PG_VERSION_NUM >= 160000
#define compat_relation_file_of(relation) ((relation)->rd_locator)
#else
#define compat_relation_file_of(relation) ((relation)->rd_node)
#endif

/* Drop a relation's pages from shared_buffers.  They must have been written already. */
static inline void
compat_drop_buffers(Relation relation)
{
	SMgrRelation file = RelationGetSmgr(relation);

#if PG_VERSION_NUM >= 160000
	DropRelationsAllBuffers(&file, 1);
#else
	DropRelFileNodesAllBuffers(&file, 1);
#endif
}

/* Return the relfilenumber of a relation. */
static inline Oid
compat_relation_file(Relation relation)
{
#if PG_VERSION_NUM >= 160000
	return relation->rd_locator.relNumber;
#else
	return relation->rd_node.relNode;
#endif
}

static inline Oid
compat_relation_tablespace(Relation relation)
{
#if PG_VERSION_NUM >= 160000
	return relation->rd_locator.spcOid;
#else
	return relation->rd_node.spcNode;
#endif
}

/* Return the path of the main fork of a relation that is not temporary, as a palloc'd string. */
static inline char *
compat_relation_path(Oid database, Oid tablespace, Oid file)
{
#if PG_VERSION_NUM >= 180000
	return pstrdup(GetRelationPath(database, tablespace, file, INVALID_PROC_NUMBER, MAIN_FORKNUM).str);
#elif PG_VERSION_NUM >= 170000
	return GetRelationPath(database, tablespace, file, INVALID_PROC_NUMBER, MAIN_FORKNUM);
#else
	return GetRelationPath(database, tablespace, file, InvalidBackendId, MAIN_FORKNUM);
#endif
}

/* Return true if a buffer's tag is that of the given block of a relation's main fork. */
static inline bool
compat_buffer_has(const BufferDesc *descriptor, Relation relation, BlockNumber block)
{
	const BufferTag *tag = &descriptor->tag;

#if PG_VERSION_NUM >= 160000
	return tag->blockNum == block && tag->forkNum == MAIN_FORKNUM && BufTagMatchesRelFileLocator(tag, &relation->rd_locator);
#else
	return tag->blockNum == block && tag->forkNum == MAIN_FORKNUM && RelFileNodeEquals(tag->rnode, relation->rd_node);
#endif
}

/*
 * Return true if nobody holds the content lock of a buffer.  In the state of a
 * lightweight lock PostgreSQL 15 to 18 use the bits below 2^28 for the holders
 * and the others for the waiters.
 */
static inline bool
compat_content_is_free(BufferDesc *descriptor)
{
	return (pg_atomic_read_u32(&BufferDescriptorGetContentLock(descriptor)->state) & ((UINT32_C(1) << 28) - 1)) == 0;
}

/* Return the buffer tag of a block of a relation's main fork. */
static inline BufferTag
compat_buffer_tag(Relation relation, BlockNumber block)
{
	BufferTag	tag;

#if PG_VERSION_NUM >= 160000
	InitBufferTag(&tag, &relation->rd_locator, MAIN_FORKNUM, block);
#else
	INIT_BUFFERTAG(tag, relation->rd_node, MAIN_FORKNUM, block);
#endif
	return tag;
}

/* Return true if the current transaction has assigned a new file to a relation. */
static inline bool
compat_has_new_file(Relation relation)
{
#if PG_VERSION_NUM >= 160000
	return relation->rd_newRelfilelocatorSubid != InvalidSubTransactionId || relation->rd_firstRelfilelocatorSubid != InvalidSubTransactionId;
#else
	return relation->rd_newRelfilenodeSubid != InvalidSubTransactionId || relation->rd_firstRelfilenodeSubid != InvalidSubTransactionId;
#endif
}

/* True if old_snapshot_threshold is active, so that snapshots may become too old. */
#if PG_VERSION_NUM >= 170000
#define compat_old_snapshots_end() false
#else
#define compat_old_snapshots_end() OldSnapshotThresholdActive()
#endif

/* Return how many rows of a relation cumulative statistics report as inserted, updated and deleted so far. */
static inline int64
compat_relation_changes(Relation relation)
{
	PgStat_StatTabEntry *entry = pgstat_fetch_stat_tabentry(RelationGetRelid(relation));

	if (entry == NULL)
		return 0;
	return entry->tuples_inserted + entry->tuples_updated + entry->tuples_deleted;
}

/* Return the relation of this database with the given relfilenumber, or InvalidOid if there is none any more. */
static inline Oid
compat_relation_of_file(Oid tablespace, Oid file)
{
	/* pg_class stores InvalidOid for the database's default tablespace */
	if (tablespace == MyDatabaseTableSpace)
		tablespace = InvalidOid;
#if PG_VERSION_NUM >= 160000
	return RelidByRelfilenumber(tablespace, file);
#else
	return RelidByRelfilenode(tablespace, file);
#endif
}

static inline bool
compat_owns_relation(Oid relation, Oid user)
{
#if PG_VERSION_NUM >= 160000
	return object_ownercheck(RelationRelationId, relation, user);
#else
	return pg_class_ownercheck(relation, user);
#endif
}

/* Return true if a collation sorts by bytes, as C does. */
static inline bool
compat_collate_is_c(Oid collation)
{
#if PG_VERSION_NUM >= 180000
	return pg_newlocale_from_collation(collation)->collate_is_c;
#else
	return lc_collate_is_c(collation);
#endif
}

/* Return true if a collation classifies only ASCII letters as letters, as C does. */
static inline bool
compat_ctype_is_c(Oid collation)
{
#if PG_VERSION_NUM >= 180000
	return pg_newlocale_from_collation(collation)->ctype_is_c;
#else
	return lc_ctype_is_c(collation);
#endif
}

/* Parameters of an ExecutorRun hook, and the arguments that the hook passes on. */
#if PG_VERSION_NUM >= 180000
#define COMPAT_RUN_PARAMETERS QueryDesc *query, ScanDirection direction, uint64 count
#define COMPAT_RUN_ARGUMENTS query, direction, count
#else
#define COMPAT_RUN_PARAMETERS QueryDesc *query, ScanDirection direction, uint64 count, bool execute_once
#define COMPAT_RUN_ARGUMENTS query, direction, count, execute_once
#endif

/* Raise PostgreSQL's error if the user lacks the permissions to run the plan. */
static inline void
compat_check_permissions(PlannedStmt *stmt)
{
#if PG_VERSION_NUM >= 160000
	ExecCheckPermissions(stmt->rtable, stmt->permInfos, true);
#else
	ExecCheckRTPerms(stmt->rtable, true);
#endif
}

#endif							/* GPUDB_PG_COMPAT_H */
