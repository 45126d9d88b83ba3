/*
 * tablet_look.c
 *		Inspection of the pages of a shelf's tablets, to prove their rows valid.
 *
 * The pages of a table that VACUUM has not been to are inspected each time that
 * another transaction has written something.  An inspection costs a miss of the
 * processor's cache or two, and the first one of a process a page fault for
 * each 64 kB of shared_buffers: half a second for a table of 9 GB.  Threads of
 * the CPU device share both.
 */
#include "postgres.h"

#include "device/threads.h"
#include "tablet/scan/tablet_look.h"

/* Number of pages from which on threads are woken; one thread inspects this many in 0.1 ms when all are at hand. */
#define PAGES_TOGETHER	4096

void
tablet_look_begin(TabletLook *look, const FoundTablet *found, uint32 tablet, const Proof *proof)
{
	look->found = found;
	look->proof = *proof;
	map_page_visible(proof->page, tablet, proof->nblocks, &look->visible);
	validity_begin(proof, &look->visible, found->notes, &found->stamp, &look->pages);
}

static void
glance_at_tablet(void *arg, uint32 number)
{
	TabletLook *look = &((TabletLook *) arg)[number];

	if (look->found != NULL)
		validity_glance(&look->proof, look->found->notes, &look->pages);
}

void
tablet_look_at_pages(TabletLook *looks, uint32 n)
{
	uint32		npages = 0;

	for (uint32 i = 0; i < n; i++)
		npages += looks[i].found != NULL ? block_set_count(&looks[i].pages.due) : 0;
	if (npages >= PAGES_TOGETHER)
		threads_run_all(n, glance_at_tablet, looks);
	else
		for (uint32 i = 0; i < n && npages > 0; i++)
			glance_at_tablet(looks, i);
}
