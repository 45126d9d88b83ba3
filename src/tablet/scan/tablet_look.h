/*
 * tablet_look.h
 *		Inspection of the pages of a shelf's tablets, to prove their rows valid.
 */
#ifndef GPUDB_TABLET_SCAN_TABLET_LOOK_H
#define GPUDB_TABLET_SCAN_TABLET_LOOK_H

#include "postgres.h"

#include "tablet/cache/shelf.h"
#include "tablet/cache/validity.h"

/* Inspection of one tablet. */
typedef struct TabletLook
{
	const FoundTablet *found;	/* NULL = nothing to inspect */
	Proof		proof;
	BlockSet	visible;		/* blocks that the visibility map shows as all-visible */
	PageLooks	pages;
} TabletLook;

/* Find out which pages of a tablet of the shelf have to be inspected. */
extern void tablet_look_begin(TabletLook *look, const FoundTablet *found, uint32 tablet, const Proof *proof);

/* Inspect the due pages of n tablets, by several threads if they are many; validity_choose() inspects what is left. */
extern void tablet_look_at_pages(TabletLook *looks, uint32 n);

#endif							/* GPUDB_TABLET_SCAN_TABLET_LOOK_H */
