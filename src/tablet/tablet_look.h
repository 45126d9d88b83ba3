/*
 * tablet_look.h
 *		Looking at the pages of a shelf's tablets, to prove their rows.
 */
#ifndef GPUDB_TABLET_TABLET_LOOK_H
#define GPUDB_TABLET_TABLET_LOOK_H

#include "postgres.h"

#include "tablet/shelf.h"
#include "tablet/validity.h"

/* A look at one tablet. */
typedef struct TabletLook
{
	const FoundTablet *found;	/* NULL = there is nothing to look at */
	Proof		proof;
	BlockSet	visible;		/* its blocks that the map shows as all-visible */
	PageLooks	pages;
} TabletLook;

/* Find out which pages of a tablet of the shelf have to be looked at. */
extern void tablet_look_begin(TabletLook *look, const FoundTablet *found, uint32 tablet, const Proof *proof);

/* Look at these pages of so many tablets, by several threads if they are many; validity_choose() looks at what is left. */
extern void tablet_look_at_pages(TabletLook *looks, uint32 n);

#endif							/* GPUDB_TABLET_TABLET_LOOK_H */
