/*
 * pg_compat.h
 *		Differences among PostgreSQL 15 to 18: the only file that tests PG_VERSION_NUM.
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

/* A scan of a table by an index. */
static inline IndexScanDesc
compat_index_beginscan(Relation heap, Relation index, Snapshot snapshot, int nkeys)
{
#if PG_VERSION_NUM >= 180000
	return index_beginscan(heap, index, snapshot, NULL, nkeys, 0);
#else
	return index_beginscan(heap, index, snapshot, nkeys, 0);
#endif
}

/* The attributes of one kind of rows, for each of those of another kind, by their names. */
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
 * Have this process be where subtransactions can begin: PostgreSQL 15 and 16
 * allow none in parallel mode, which a process may leave as long as no worker
 * runs for it.  Returns how often compat_enter_parallel_mode() has to enter it
 * again; after an error the transaction that ends forgets its mode.
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

/* The files that a relation lies in. */
#if PG_VERSION_NUM >= 160000
#define compat_relation_file_of(relation) ((relation)->rd_locator)
#else
#define compat_relation_file_of(relation) ((relation)->rd_node)
#endif

/* Forget a relation's pages in shared_buffers, which must be written already. */
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

/* The number of the file that a relation lies in. */
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

/* The path of a file's main fork, of a relation that is not temporary. */
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

/* Whether a buffer's tag is that of a block of a relation's main fork. */
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
 * Whether nobody holds the lock of a buffer's content.  Of a lightweight
 * lock's state PostgreSQL 15 to 18 use the bits below 2^28 for who holds it,
 * and others for who waits.
 */
static inline bool
compat_content_is_free(BufferDesc *descriptor)
{
	return (pg_atomic_read_u32(&BufferDescriptorGetContentLock(descriptor)->state) & ((UINT32_C(1) << 28) - 1)) == 0;
}

/* The tag of a block of a relation's main fork. */
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

/* Whether the transaction has given a relation another file. */
static inline bool
compat_has_new_file(Relation relation)
{
#if PG_VERSION_NUM >= 160000
	return relation->rd_newRelfilelocatorSubid != InvalidSubTransactionId || relation->rd_firstRelfilelocatorSubid != InvalidSubTransactionId;
#else
	return relation->rd_newRelfilenodeSubid != InvalidSubTransactionId || relation->rd_firstRelfilenodeSubid != InvalidSubTransactionId;
#endif
}

/* Whether old_snapshot_threshold may end snapshots before their time. */
#if PG_VERSION_NUM >= 170000
#define compat_old_snapshots_end() false
#else
#define compat_old_snapshots_end() OldSnapshotThresholdActive()
#endif

/* Rows inserted, updated and deleted so far, as far as sessions have reported it. */
static inline int64
compat_relation_changes(Relation relation)
{
	PgStat_StatTabEntry *entry = pgstat_fetch_stat_tabentry(RelationGetRelid(relation));

	if (entry == NULL)
		return 0;
	return entry->tuples_inserted + entry->tuples_updated + entry->tuples_deleted;
}

/* The relation of this database that lies in a file; InvalidOid if none does any more. */
static inline Oid
compat_relation_of_file(Oid tablespace, Oid file)
{
	/* what lies in the database's own tablespace is known without it */
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

/* Whether a collation sorts by bytes, as C does. */
static inline bool
compat_collate_is_c(Oid collation)
{
#if PG_VERSION_NUM >= 180000
	return pg_newlocale_from_collation(collation)->collate_is_c;
#else
	return lc_collate_is_c(collation);
#endif
}

/* Whether its letters are those of ASCII, as in C. */
static inline bool
compat_ctype_is_c(Oid collation)
{
#if PG_VERSION_NUM >= 180000
	return pg_newlocale_from_collation(collation)->ctype_is_c;
#else
	return lc_ctype_is_c(collation);
#endif
}

/* What a hook of ExecutorRun is given, and what it hands on. */
#if PG_VERSION_NUM >= 180000
#define COMPAT_RUN_PARAMETERS QueryDesc *query, ScanDirection direction, uint64 count
#define COMPAT_RUN_ARGUMENTS query, direction, count
#else
#define COMPAT_RUN_PARAMETERS QueryDesc *query, ScanDirection direction, uint64 count, bool execute_once
#define COMPAT_RUN_ARGUMENTS query, direction, count, execute_once
#endif

/* Raise PostgreSQL's error if the user may not run the plan. */
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
