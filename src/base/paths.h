/*
 * Where files of ours live: the XDG base directories, made when missing (0700).
 *
 * PIPEGLASS_CONFIG, XDG_CONFIG_HOME, XDG_CACHE_HOME, XDG_STATE_HOME are honoured when
 * absolute; relative values are ignored as the specification demands. Nothing is ever
 * read from the trace's own folder. An empty string means "there is no such place".
 * PIPEGLASS_CONFIG names our configuration directory itself, not the base of it.
 * Cost: a handful of system calls.
 */
#ifndef PIPEGLASS_BASE_PATHS_H
#define PIPEGLASS_BASE_PATHS_H

#include "base/sbuf.h"

enum path_kind { PATH_CONFIG, PATH_CACHE, PATH_STATE };

/*
 * Append "<base>/pipeglass/<name>", or the directory alone for the name ""; appends nothing
 * when no base directory is known. Makes nothing: that is path_make().
 */
void path_of(struct sbuf *out, enum path_kind kind, const char *name);

/*
 * mkdir -p with mode 0700; 0 or an errno. Refuses a final component that
 * is a symbolic link (ENOTDIR or ELOOP), no directory (ENOTDIR), or not owned by the
 * effective user (EPERM).
 */
int path_make(const char *dir);

#endif
