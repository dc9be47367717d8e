/*
 * Hearing that a file changes, for whoever sleeps until it does.
 */
#ifndef PIPEGLASS_SOURCE_WATCH_H
#define PIPEGLASS_SOURCE_WATCH_H

/* A descriptor that is readable when the file at path changes; -1: there is no inotify here. */
int watch_open(const char *path);

/*
 * Until the file changes, wake is readable, or it is time to look all the same: after a second,
 * after a quarter of one without a watch (-1). What the watch told is read, wake is not.
 */
void watch_wait(int watch, int wake);

/* All that waits in a descriptor that does not block; -1: none. */
void watch_drain(int fd);

#endif
