#include "config.h"

#include "pipeline/formats/record.h"

void lexer_begin(struct lexer *lx, struct names *names, bool may_name)
{
	memset(lx, 0, sizeof(*lx));
	lx->names = names;
	lx->may_name = may_name;
	names_refresh(names, &lx->view);
}

/* What stages and lanes have in common. */
static const struct table {
	size_t room; /* bytes of a name, with its end */
	int (*find)(const struct names *n, const struct names_view *v, uint64_t key, const char *p,
		    size_t len);
	int (*give)(struct names *n, const char *p, size_t len);
	int rest; /* the last place */
} tables[NAMES_TABLES] = {
    [NAMES_STAGES] = {sizeof(((struct stage_info *)0)->name), names_view_stage, names_stage,
		      STAGE_REST},
    [NAMES_LANES] = {sizeof(((struct names *)0)->lanes[0]), names_view_lane, names_lane, LANE_REST},
};

struct lexer_name lexer_name(struct lexer *lx, enum names_table which, const char *p, size_t len,
			     bool make)
{
	const struct table *t = &tables[which];
	uint64_t key = names_key(p, len);
	struct lexer_name name = {-1, false};

	len = len < t->room ? len : t->room - 1;
	name.id = t->find(lx->names, &lx->view, key, p, len);
	if (name.id < 0 && !lx->view.has_rest[which]) {
		lx->stumbled |= !lx->may_name;
		/* of a full table a refresh would bring nothing, line after line */
		if (lx->may_name && make && t->give(lx->names, p, len) < 0)
			return name;
		names_refresh(lx->names, &lx->view);
		name.id = t->find(lx->names, &lx->view, key, p, len);
	}
	if (name.id >= 0 || !lx->view.has_rest[which])
		return name;
	name.id = t->rest;
	name.fresh = make && names_rest(lx->names, which, p, len, lx->may_count);
	lx->stumbled |= name.fresh && !lx->may_count;
	return name;
}
