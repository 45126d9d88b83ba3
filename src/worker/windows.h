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

/* Whether a job has a window, and the window its copies and its room. */
extern bool window_is_owned(const Channel *channel, int job, int number);

/* Copy a window's list of pages; false if there is anything wrong with it. */
extern bool window_read_pages(const Channel *channel, const ChannelWindow *window, PageList *list);

/* Where what a job tells of a window's rows goes, if its owner has room for it: outputs, or columns; NULL = nowhere. */
extern uint8 *window_output_place(Channel *channel, const ChannelWindow *window, const JobView *job, uint32 nrows, bool wide);

/* Where groups go for which a job has room in a window, and how many words fit there; NULL if it is none. */
extern uint64 *window_groups_place(Channel *channel, int job, int number, uint32 *words);

/*
 * Add a window's cached tablets to a batch, whose columns take so many bytes at
 * most, unless it is the only window.  If that does not end with DONE the
 * batch is as before: NO_ROOM if it has none for them; MEMORY_LIMIT if there is
 * no memory; SHELF_UNKNOWN if shelves are to be described again; BAD_PROGRAM if
 * there is anything wrong with them.
 */
extern DeviceStatus window_read_tablets(const ChannelWindow *window, const Program *program, uint64 most_bytes, ProviderBatch *batch);

/* Let go of a batch's shelves but for the first ones. */
extern void window_let_go(ProviderBatch *batch, uint32 npicks);

/* Make all rows of a job's source a batch's tablets; NO_ROOM if it has others. */
extern DeviceStatus window_read_source(const Provider *provider, const ProviderJob *job, const KeptSource *source, ProviderBatch *batch);

#endif							/* GPUDB_WORKER_WINDOWS_H */
