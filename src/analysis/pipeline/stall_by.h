/*
 * What a line of the table of stalls (stalls_table.h) can be about.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_STALL_BY_H
#define PIPEGLASS_ANALYSIS_PIPELINE_STALL_BY_H

/* name, what --by calls it, key of its list, needs a binary */
#define STALL_BY_INFO(_)                                                                           \
	_(PC, "pc", "pcs", false)                                                                  \
	_(FUNCTION, "function", "functions", true)                                                 \
	_(LINE, "line", "lines", true)                                                             \
	_(NAMELESS, "", "unattributed", false)

enum stall_by {
#define STALL_BY_ENUM(name, text, key, binary) STALL_BY_##name,
	STALL_BY_INFO(STALL_BY_ENUM)
#undef STALL_BY_ENUM
	    STALL_BY_COUNT
};

extern const char *const stall_by_names[STALL_BY_COUNT];

#endif
