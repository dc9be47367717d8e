/*
 * The columns of text before the time axis: what a line says of its item.
 */
#ifndef PIPEGLASS_VIEW_GUTTER_H
#define PIPEGLASS_VIEW_GUTTER_H

/* gutter column, name for :columns, default width, shown by default, help */
#define GUTTER_INFO(_)                                                                             \
	_(MARK, "mark", 1, true, "row mark: letter of a mark, or of the row's fate")               \
	_(ROW, "row", 8, false, "row number")                                                      \
	_(SEQ, "seq", 7, true, "the instruction's number in the file")                         \
	_(THREAD, "thread", 6, false,                                                              \
	  "thread, hart or warp of the instruction; gem5 with CPUs: 1000 * thread + CPU")          \
	_(PC, "pc", 9, true, "program counter")                                                    \
	_(TEXT, "text", 22, true,                                                                  \
	  "disassembly; grows with the window unless width-text is set to another value")

enum gutter {
#define GUTTER_ENUM(name, text, width, shown, help) GUTTER_##name,
	GUTTER_INFO(GUTTER_ENUM)
#undef GUTTER_ENUM
	    GUTTER_COUNT
};

#endif
