#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "cmd/cmd.h"

/*
 * cc and c++: become the compiler, with flags that make an object call libpgmem at every access, and
 * a program be linked with it. All the rest of the command line is the compiler's own business.
 *
 * Gcc's driver links libtsan if it sees -fsanitize=thread; a specs file gives the flag to the compiler
 * proper alone. Libraries come last, and only if something is linked: as inputs they would turn
 * `cc -v` into a link. Shared objects call the runtime that is in the program.
 */

struct language {
	const char *name, *variable, *compiler;
};

static const struct language c = {"cc", "PIPEGLASS_CC", "gcc"};
static const struct language cxx = {"c++", "PIPEGLASS_CXX", "g++"};

typedef VEC(char *) words;

/* ---- where the runtime is ---- */

enum { PATH_ROOM = 4096 + 64 };

/* As words of a command line. */
struct flags {
	char include[PATH_ROOM], specs[PATH_ROOM], wrap[PATH_ROOM], lib[PATH_ROOM];
};

/* Beside the program, as it is built; else where it is installed. */
static bool find_runtime(struct flags *f)
{
	char own[4096], archive[sizeof(own) + 32];
	ssize_t len = readlink("/proc/self/exe", own, sizeof(own) - 1);
	const char *lib = LIBDIR, *data = "/pipeglass";
	bool built;

	while (len > 0 && own[len - 1] != '/')
		len--;
	own[len > 0 ? len - 1 : 0] = '\0';
	snprintf(archive, sizeof(archive), "%s/libpgmem.a", own);
	built = access(archive, R_OK) == 0;
	if (built) {
		lib = own;
		data = "/src/libpgmem";
	}
	snprintf(f->include, PATH_ROOM, "-I%s%s", built ? own : INCLUDEDIR, built ? "/include" : "");
	snprintf(f->specs, PATH_ROOM, "-specs=%s%s/pgmem.specs", lib, data);
	snprintf(f->wrap, PATH_ROOM, "-Wl,@%s%s/pgmem.wrap", lib, data);
	snprintf(f->lib, PATH_ROOM, "-L%s", lib);
	return built || access(LIBDIR "/libpgmem.a", R_OK) == 0;
}

/* ---- what the command line asks for ---- */

/* A flag for each, bit k for word k. */
static const char *const telling[] = {"-c", "-S",  "-E",      "-M",      "-MM",
				      "-r", "-fsyntax-only", "-shared", "-static", "-static-pie", "--static"};
enum { NO_LINK = 0x7f, SHARED = 0x80, STATIC = 0x700, INPUT = 0x800 };

static unsigned asked(const char *word)
{
	for (size_t i = 0; i < sizeof(telling) / sizeof(telling[0]); i++)
		if (strcmp(word, telling[i]) == 0)
			return 1u << i;
	return word[0] != '-' || !word[1] || word[1] == 'l' ? INPUT : 0;
}

/* The words of a response file; as the compilers do, one that is not there is a name. */
static unsigned asked_in(const char *path)
{
	char word[256];
	unsigned found = 0;
	FILE *f = fopen(path, "re");

	if (!f)
		return INPUT;
	while (fscanf(f, "%255s", word) == 1)
		found |= asked(word);
	fclose(f);
	return found;
}

/* ---- the compiler's command line ---- */

static const char sanitize[] = "-fsanitize=thread";

/* but: a word that is left out; NULL: none. */
static bool add(words *w, const char *const *word, const char *but)
{
	for (; *word; word++)
		if (!(but && strcmp(*word, but) == 0) && !vec_push(w, (char *)(uintptr_t)*word))
			return false;
	return true;
}

/* compiler: may be several words, ccache gcc; is cut into them. */
static bool make_line(words *w, char *compiler, const struct cmd_options *o, const struct flags *f,
		      unsigned asks)
{
	const bool clang = strstr(compiler, "clang"), links = asks & INPUT && !(asks & NO_LINK);
	const char *const gcc_flags[] = {"-g", "-DPIPEGLASS_RECORD", f->include, f->specs, NULL};
	const char *const clang_flags[] = {"-g", "-DPIPEGLASS_RECORD", f->include, "-Qunused-arguments",
					   sanitize, "-fno-sanitize-link-runtime", NULL};
	const char *const program[] = {f->wrap, f->lib, "-lpgmem", "-lpthread", NULL};
	/* what a shared object calls is in the program, whatever else must be defined */
	const char *const shared[] = {f->wrap, "-Wl,-z,undefs", NULL};
	bool good = true;
	char *rest;

	for (char *word = strtok_r(compiler, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
		good = good && vec_push(w, word);
	/* the driver of gcc would link a runtime of its own for it */
	good = good && add(w, clang ? clang_flags : gcc_flags, NULL) &&
	       add(w, o->files.data, clang ? NULL : sanitize);
	if (links)
		good = good && add(w, asks & SHARED ? shared : program, NULL);
	return good && vec_push(w, NULL);
}

/* Returns only if it cannot. */
static enum status become(words *w, const struct language *of, struct error *e)
{
	/* that we ignore, but it should not */
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	execvp(w->data[0], w->data);
	return error_errno(e, STATUS_IO, errno, "%s: cannot run %s; set %s to a compiler", of->name,
			   w->data[0], of->variable);
}

static enum status compile(const struct language *of, const struct cmd_options *o, struct error *e)
{
	const char *set = getenv(of->variable);
	char *compiler;
	enum status status;
	struct flags f;
	unsigned asks = 0;
	words w = {0};

	if (app_is_secure())
		return error_set(e, STATUS_UNSUPPORTED, "PIPEGLASS_SECURE disables %s", of->name);
	for (size_t i = 0; i < o->files.count; i++) {
		const char *word = o->files.data[i];

		asks |= word[0] == '@' ? asked_in(word + 1) : asked(word);
	}
	if (asks & STATIC && !(asks & NO_LINK))
		return error_set(e, STATUS_USAGE,
				 "%s: a program that is recorded is linked dynamically: leave out -static",
				 of->name);
	if (!find_runtime(&f))
		return error_set(e, STATUS_UNSUPPORTED,
				 "%s: " LIBDIR "/libpgmem.a is missing: install pipeglass again", of->name);
	compiler = strdup(set && set[strspn(set, " \t")] ? set : of->compiler);
	status = compiler && make_line(&w, compiler, o, &f, asks)
		     ? become(&w, of, e)
		     : error_set(e, STATUS_NOMEM, "out of memory");
	vec_free(&w);
	free(compiler);
	return status;
}

enum status cmd_cc(const struct cmd_options *o, struct output *out, struct error *e)
{
	(void)out;
	return compile(&c, o, e);
}

enum status cmd_cxx(const struct cmd_options *o, struct output *out, struct error *e)
{
	(void)out;
	return compile(&cxx, o, e);
}
