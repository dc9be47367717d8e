/*
 * What the user's files say to kinds of traces before one is open, for who has no screen: the
 * lines whose commands are settings (CMD_SETTING) are run, the others passed over.
 */
#ifndef PIPEGLASS_APP_SETTINGS_FILE_H
#define PIPEGLASS_APP_SETTINGS_FILE_H

#include "base/status.h"
#include "trace/trace.h"

/* "FILE:LINE: what is wrong" */
typedef void settings_slip(void *arg, const char *text);

/*
 * The settings in the user's files, for --config=ASKED (NULL: not given), and in those that they
 * `source`. Slips are told, as is a standard file that cannot be read; one that was asked for is
 * STATUS_IO or STATUS_USAGE.
 */
enum status settings_read(struct trace_settings *s, const char *asked, settings_slip *slip,
			  void *arg, struct error *e);

#endif
