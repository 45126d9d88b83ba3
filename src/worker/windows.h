/*
 * windows.h
 *		Windows as requesters describe them, read into private memory and verified.
 *
 * What requesters may still change afterwards is page bytes and lists of
 * tuples, which devices read as hostile.
 */
#ifndef GPUDB_WORKER_WINDOWS_H
#define GPUDB_WORKER_WINDOWS_H

#include "postgres.h"

#include "device/channel.h"

/* Whether a job has a window, and the window its copies. */
extern bool window_is_owned(const Channel *channel, int job, int number);

/* Copy a window's list of pages; false if there is anything wrong with it. */
extern bool window_read_pages(const Channel *channel, const ChannelWindow *window, PageList *list);

/*
 * Add a window's cached tablets, n of them, to a batch.  DONE; STATUS_NO_ROOM if the
 * batch, which is as before then, has no room for them; MEMORY_LIMIT if there
 * is no memory; BAD_PROGRAM if there is anything wrong with them.
 */
extern DeviceStatus window_read_tablets(const ChannelWindow *window, uint32 n, const Program *program, ProviderBatch *batch);

#endif							/* GPUDB_WORKER_WINDOWS_H */
