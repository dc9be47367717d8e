#include "config.h"

#include "base/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* XDG Base Directory Specification 0.8: the variable, and what stands for it under HOME */
static const struct place {
	const char *variable, *below_home;
} places[] = {
    [PATH_CONFIG] = {"XDG_CONFIG_HOME", ".config"},
    [PATH_CACHE] = {"XDG_CACHE_HOME", ".cache"},
    [PATH_STATE] = {"XDG_STATE_HOME", ".local/state"},
};

static const char *absolute_variable(const char *name)
{
	const char *value = secure_getenv(name);

	return value && value[0] == '/' ? value : NULL;
}

void path_of(struct sbuf *out, enum path_kind kind, const char *name)
{
	const struct place *place = &places[kind];
	const char *own = kind == PATH_CONFIG ? absolute_variable("PIPEGLASS_CONFIG") : NULL;
	const char *base = absolute_variable(place->variable);
	const char *home = absolute_variable("HOME");

	if (own)
		sbuf_puts(out, own);
	else if (base)
		sbuf_printf(out, "%s/pipeglass", base);
	else if (home)
		sbuf_printf(out, "%s/%s/pipeglass", home, place->below_home);
	else
		return;
	if (*name)
		sbuf_printf(out, "/%s", name);
}

/* A directory, no symbolic link, and ours: nobody else may choose what we write into. */
static int check_final(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat info;
	int result = 0;

	if (fd < 0)
		return errno;
	if (fstat(fd, &info) < 0)
		result = errno;
	else if (info.st_uid != geteuid())
		result = EPERM;
	close(fd);
	return result;
}

static int make_one(const char *dir)
{
	return mkdir(dir, 0700) < 0 && errno != EEXIST ? errno : 0;
}

/* path is ours to cut at each slash and mend again */
static int make_parents(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		struct stat info;
		int result = 0;

		*slash = '\0';
		/* mkdir on a read-only file system says EROFS even for what is there */
		if (stat(path, &info) < 0)
			result = make_one(path);
		*slash = '/';
		if (result)
			return result;
	}
	return 0;
}

int path_make(const char *dir)
{
	size_t len = strlen(dir);
	struct stat info;
	char *path;
	int result;

	if (!dir[0])
		return ENOENT;
	path = strdup(dir);
	if (!path)
		return ENOMEM;
	/* with a slash at its end even O_NOFOLLOW follows a symbolic link */
	while (len > 1 && path[len - 1] == '/')
		path[--len] = '\0';
	result = make_parents(path);
	if (!result && lstat(path, &info) < 0)
		result = make_one(path);
	if (!result)
		result = check_final(path);
	free(path);
	return result;
}
