#include "config.h"

#include "ptyscript_private.h"

#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ptykeys.h"

/* ---- keys ---- */

static bool send_keys(struct script *s)
{
	struct sbuf bytes = {0};
	struct key k;

	for (int i = 1; i < s->count; i++)
		for (const char *p = s->words[i]; *p;) {
			if (!key_parse(&p, &k)) {
				sbuf_free(&bytes);
				return wrong(s, "no such key");
			}
			ptykeys_add(&bytes, k);
		}
	ptyrun_send(&s->run, bytes.text, bytes.len);
	sbuf_free(&bytes);
	return true;
}

static bool send_bytes(struct script *s)
{
	ptyrun_send(&s->run, s->words[1], strlen(s->words[1]));
	return true;
}

/* ---- before the program runs ---- */

static bool set_size(struct script *s)
{
	s->w = number(s, 1);
	s->h = number(s, 2);
	return s->w > 0 && s->h > 0;
}

static bool set_env(struct script *s)
{
	if (s->count > 2)
		setenv(s->words[1], s->words[2], 1);
	else
		unsetenv(s->words[1]);
	return true;
}

static bool set_input(struct script *s)
{
	snprintf(s->input, sizeof(s->input), "%s", s->words[1]);
	return true;
}

static bool start(struct script *s)
{
	const char *program = getenv("PIPEGLASS");

	if (!program)
		return wrong(s, "PIPEGLASS names no program");
	s->words[0] = strdup(program);
	s->words[s->count] = NULL;
	s->started = ptyrun_start(&s->run, s->w, s->h, s->input[0] ? s->input : NULL, s->words);
	free(s->words[0]);
	s->words[0] = NULL;
	return s->started;
}

/* ---- files that grow ---- */

static bool make_fifo(struct script *s)
{
	return ptyfiles_fifo(&s->files, s->words[1]) || wrong(s, "no FIFO");
}

static bool close_fifo(struct script *s)
{
	return ptyfiles_close(&s->files, s->words[1]) || wrong(s, "no such FIFO");
}

static bool append(struct script *s)
{
	return ptyfiles_append(s->words[1], number(s, 2), number(s, 3), s->words[4]) ||
	       wrong(s, "nothing was appended");
}

static bool cut(struct script *s)
{
	return truncate(s->words[1], number(s, 2)) == 0 || wrong(s, "cannot be cut");
}

/* ---- what happens ---- */

static bool idle(struct script *s)
{
	return ptyrun_idle(&s->run) || wrong(s, "does not come to rest");
}

static bool recount(struct script *s)
{
	return ptyrun_recount(&s->run) || wrong(s, "does not come to rest");
}

static bool resize(struct script *s)
{
	ptyrun_resize(&s->run, number(s, 1), number(s, 2));
	return true;
}

static int signal_named(const char *name)
{
	for (int n = 1; n < 32; n++)
		if (sigabbrev_np(n) && strcmp(sigabbrev_np(n), name) == 0)
			return n;
	return 0;
}

static bool send_signal(struct script *s)
{
	int n = signal_named(s->words[1]);

	ptyrun_signal(&s->run, n);
	return n > 0;
}

static bool in_state(struct ptyrun *p, void *data)
{
	return p->state == *(enum pty_state *)data;
}

static bool await(struct script *s, enum pty_state state)
{
	return ptyrun_wait(&s->run, in_state, &state) || wrong(s, "it does not");
}

static bool stops(struct script *s)
{
	return await(s, PTY_STOPPED);
}

static bool proceed(struct script *s)
{
	ptyrun_continue(&s->run);
	return await(s, PTY_RUNNING);
}

/* ends STATUS or ends SIGNAL */
static bool ends(struct script *s)
{
	int n = signal_named(s->words[1]), status;

	if (!await(s, PTY_ENDED))
		return false;
	status = s->run.status;
	if (n ? WIFSIGNALED(status) && WTERMSIG(status) == n
	      : WIFEXITED(status) && WEXITSTATUS(status) == number(s, 1))
		return true;
	sbuf_printf(s->why, "it ended with %s %d", WIFEXITED(status) ? "status" : "signal",
		    WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	return false;
}

static bool restored(struct script *s)
{
	const char *what = ptyrun_unrestored(&s->run);

	return !what || wrong(s, what);
}

static bool hang_up(struct script *s)
{
	ptyrun_hang_up(&s->run);
	return true;
}

static bool deafen(struct script *s)
{
	s->run.deaf = true;
	return true;
}

static bool hear(struct script *s)
{
	s->run.deaf = false;
	return true;
}

/* ---- what it costs ---- */

static bool count(struct script *s)
{
	ptyrun_count(&s->run);
	return true;
}

static bool at_most(struct script *s, const char *what, uint64_t found)
{
	if (found <= (uint64_t)number(s, 1))
		return true;
	sbuf_printf(s->why, "%llu %s", (unsigned long long)found, what);
	return false;
}

static bool frames_at_most(struct script *s)
{
	return at_most(s, "frames", s->run.frames);
}

static bool bytes_at_most(struct script *s)
{
	return at_most(s, "bytes", s->run.frame_bytes);
}

static bool one_write_a_frame(struct script *s)
{
	if (s->run.frames && s->run.writes == s->run.frames)
		return true;
	sbuf_printf(s->why, "%llu frames, %llu write() calls", (unsigned long long)s->run.frames,
		    (unsigned long long)s->run.writes);
	return false;
}

/* Ask for whole frames until one was dropped: how many fill the link is the system's secret. */
static bool was_dropped(struct ptyrun *p, void *data)
{
	(void)data;
	if (!p->dropped)
		ptyrun_send(p, "\014", 1);
	return p->dropped > 0;
}

static bool drops(struct script *s)
{
	return ptyrun_wait_asking(&s->run, was_dropped, NULL) || wrong(s, "no frame was dropped");
}

static bool marks_match(struct script *s)
{
	const struct emulator *m = &s->run.emulator;

	if (m->holds == m->shows && m->holds >= number(s, 1))
		return true;
	sbuf_printf(s->why, "%d begin and %d end marks", m->holds, m->shows);
	return false;
}

static bool no_marks(struct script *s)
{
	return s->run.emulator.holds == 0 || wrong(s, "marks that the terminal does not know");
}

static bool clipboard(struct script *s)
{
	if (strcmp(sbuf_text(&s->run.emulator.clipboard), s->words[1]) == 0)
		return true;
	return wrong(s, sbuf_text(&s->run.emulator.clipboard));
}

/* ---- the language ---- */

/* against the program's start */
enum when { BEFORE, BEHIND, EVER };

/* clang-format off */
static const struct {
	const char *name;
	int least; /* words behind it */
	enum when when;
	bool (*run)(struct script *s);
} verbs[] = {
    {"size", 2, BEFORE, set_size},            /* W H, before run */
    {"env", 1, BEFORE, set_env},              /* NAME VALUE; NAME alone: unset */
    {"input", 1, BEFORE, set_input},          /* FILE is the program's standard input */
    {"run", 0, BEFORE, start},                /* ARGS of $PIPEGLASS */
    {"fifo", 1, EVER, make_fifo},            /* FILE; somebody writes to it until */
    {"close", 1, EVER, close_fifo},          /* FILE */
    {"append", 4, EVER, append},             /* FILE FIRST LAST SOURCE: those lines, from 1 */
    {"cut", 2, EVER, cut},                   /* FILE BYTES: to so many */
    {"keys", 1, BEHIND, send_keys},            /* as keymaps spell them */
    {"send", 1, BEHIND, send_bytes},           /* "BYTES" */
    {"expect", 1, BEHIND, script_expect},             /* wait for a text on the screen */
    {"expect-row", 2, BEHIND, script_expect_row},     /* Y TEXT; -1: the last row */
    {"expect-gone", 1, BEHIND, script_expect_gone},
    {"idle", 0, BEHIND, idle},                 /* everything sent is read, everything is drawn */
    {"recount", 0, BEHIND, recount},           /* as idle, after somebody else read keys */
    {"cell", 3, BEHIND, script_expect_cell},          /* X Y CHARACTER [FG [BG [ATTRS]]] */
    {"no-colors", 0, BEHIND, script_no_colors},
    {"only-ascii", 0, BEHIND, script_only_ascii},
    {"same-as", 1, BEHIND, script_same_as}, /* ARGS of `pipeglass screen`: wait for that */
    {"resize", 2, BEHIND, resize},
    {"signal", 1, BEHIND, send_signal},        /* TERM, SEGV... */
    {"hang-up", 0, BEHIND, hang_up},           /* the terminal goes away */
    {"stops", 0, BEHIND, stops},
    {"continue", 0, BEHIND, proceed},
    {"ends", 1, BEHIND, ends},                 /* STATUS or SIGNAL */
    {"restored", 0, BEHIND, restored},         /* the terminal is as it was before run */
    {"deafen", 0, BEHIND, deafen},             /* the link takes nothing any more */
    {"hear", 0, BEHIND, hear},
    {"count", 0, BEHIND, count},               /* frames, bytes and writes from here */
    {"frames-at-most", 1, BEHIND, frames_at_most},
    {"bytes-at-most", 1, BEHIND, bytes_at_most},
    {"one-write-a-frame", 0, BEHIND, one_write_a_frame},
    {"drops", 0, BEHIND, drops},               /* press ^L until a frame is dropped */
    {"marks-match", 1, BEHIND, marks_match},   /* at least N synchronised frames */
    {"no-marks", 0, BEHIND, no_marks},
    {"clipboard", 1, BEHIND, clipboard},       /* BASE64 */
};
/* clang-format on */

static char unescape(const char **p)
{
	static const char names[][2] = {{'e', 033}, {'n', '\n'}, {'r', '\r'}, {'t', '\t'}};
	unsigned value;
	char c = *(*p)++;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i][0] == c)
			return names[i][1];
	if (c == 'x' && sscanf(*p, "%2x", &value) == 1) {
		*p += 2;
		return (char)value;
	}
	return c;
}

static void add_variable(struct sbuf *out, const char **p)
{
	char name[64] = "";
	size_t n = strspn(*p, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
	const char *value;

	snprintf(name, sizeof(name), "%.*s", (int)n, *p);
	*p += n;
	value = getenv(name);
	sbuf_puts(out, value ? value : "");
}

/* One word; false at the end of the line or a comment. */
static bool next_word(const char **p, struct sbuf *out)
{
	bool quoted = false;

	*p += strspn(*p, " \t\n");
	if (!**p || **p == '#')
		return false;
	while (**p && (quoted || !strchr(" \t\n", **p))) {
		char c = *(*p)++;

		if (c == '"')
			quoted = !quoted;
		else if (c == '\\' && quoted && **p)
			sbuf_putc(out, unescape(p));
		else if (c == '$')
			add_variable(out, p);
		else
			sbuf_putc(out, c);
	}
	return true;
}

static void split(struct script *s, const char *line)
{
	s->count = 0;
	while (s->count < WORDS) {
		struct sbuf word = {0};

		if (!next_word(&line, &word))
			break;
		s->words[s->count++] = strdup(sbuf_text(&word));
		sbuf_free(&word);
	}
}

static bool perform(struct script *s)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(verbs[i].name, s->words[0]) != 0)
			continue;
		if (s->count - 1 < verbs[i].least)
			return wrong(s, "too few words");
		if (verbs[i].when != EVER && (verbs[i].when == BEHIND) != s->started)
			return wrong(s, s->started ? "too late" : "nothing runs yet");
		free(s->words[0]);
		s->words[0] = NULL;
		return verbs[i].run(s);
	}
	return wrong(s, "no such verb");
}

static bool run_line(struct script *s, const char *line)
{
	bool right;
	int count;

	split(s, line);
	count = s->count;
	right = !count || perform(s);
	for (int i = 0; i < count; i++) {
		free(i || s->words[0] ? s->words[i] : NULL);
		s->words[i] = NULL;
	}
	return right;
}

static void explain(struct script *s, const char *path, int line_number, const char *line)
{
	struct sbuf text = {0};

	sbuf_printf(&text, "%s:%d: %s: %s\n", path, line_number, line, sbuf_text(s->why));
	if (s->started) {
		sbuf_puts(&text, "the screen:\n");
		emulator_text(&s->run.emulator, &text);
	}
	sbuf_clear(s->why);
	sbuf_add(s->why, text.text, text.len);
	sbuf_free(&text);
}

static bool run_script(const char *path, struct sbuf *why)
{
	struct script s = {.w = 80, .h = 24, .why = why};
	FILE *f = fopen(path, "r");
	char line[LINE_BYTES];
	bool right = f != NULL;

	for (int n = 1; right && fgets(line, sizeof(line), f); n++) {
		line[strcspn(line, "\n")] = '\0';
		right = run_line(&s, line);
		if (!right)
			explain(&s, path, n, line);
	}
	if (f)
		fclose(f);
	else
		sbuf_printf(why, "%s: cannot be read\n", path);
	if (s.started)
		ptyrun_end(&s.run);
	ptyfiles_end(&s.files);
	return right;
}

/* In a process of its own: scripts change the environment. */
bool ptyscript_run(const char *path)
{
	int status = -1;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		struct sbuf why = {0};
		bool right = run_script(path, &why);

		fputs(sbuf_text(&why), stderr);
		_exit(!right);
	}
	return waitpid(pid, &status, 0) == pid && status == 0;
}

static void set_path(const char *variable, const char *below)
{
	const char *srcdir = getenv("srcdir");
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", srcdir ? srcdir : ".", below);
	setenv(variable, path, 1);
}

void ptyscript_prepare(void)
{
	setlocale(LC_CTYPE, "");
	/* what the terminal of whoever runs the tests says is not what ours is */
	unsetenv("COLORTERM");
	unsetenv("NO_COLOR");
	setenv("TERM", "xterm-256color", 1);
	set_path("DEMO", "samples/sort-4wide.trc.gz");
	set_path("SCRIPTS", "tests/pty/scripts");
}
