/*
 * Links between rows: who waited for whom (formats/kanata-o3pipeview.md 1.8).
 *
 * Drawn are the links of the row under the cursor, or all with both ends on the screen: the
 * cells that a link joins are marked, lines run where cells are free, and an end that is off
 * the screen is told at the edge with its distance. A frame costs O(rows and links on the
 * screen): it looks at the visible rows' own links, and looks up where the producers of the one
 * row under the cursor are. Consumers off the screen stand in later text: they are shown once
 * links_of() was asked, which reads the leaves that can name the row.
 */
#ifndef PIPEGLASS_VIEW_PIPELINE_LINKS_H
#define PIPEGLASS_VIEW_PIPELINE_LINKS_H

#include "view/pane.h"
#include "view/pipeline/pipeview.h"

enum { LINKS_MAX = 64 }; /* of a row and a direction; what is more is not listed */

struct link_end {
	uint64_t row; /* the other's; ROW_NONE: not in the trace */
	uint64_t id;
	int64_t tick; /* when the trace says so */
	uint8_t type;
};

struct link_list {
	uint64_t row; /* whose they are */
	struct link_end producers[LINKS_MAX], consumers[LINKS_MAX];
	size_t producer_count, consumer_count;
	uint32_t far; /* registers that nobody wrote in the text before, as far as it is read */
	bool untold;  /* it was renamed, but the lines that tell of it are too far back */
	bool more;    /* than LINKS_MAX */
};

/* In some of the directions. Reads the row's text, and the leaves that can name it for consumers. */
enum status links_of(struct store *s, uint64_t row, bool producers, bool consumers,
		     struct link_list *out, struct error *e);
/* Both ways for the view's own row, which remembers them for drawing. */
enum status pipeview_links(struct pipeview *v, uint64_t row, struct link_list *out,
			   struct error *e);

/* Are there producers too far back in the text to be listed, and how many. */
bool links_are_far(const struct link_list *l);
void links_tell_far(struct pane_line *line, const struct link_list *l);

/*
 * The tick at which a link leaves the producer or reaches the consumer: the stage the user
 * chose, else one with an X in its name or that executes, else complete and issue; the row's
 * end, or the link's own tick, when it has none of these.
 */
int64_t link_tick(const struct pipeview *v, const struct detail *d, const struct detail_row *row,
		  bool producer, int64_t otherwise);

#endif
