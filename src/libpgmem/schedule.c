/* See libpgmem/pgmem.h: threads, and whose turn it is. */
#include "config.h"

#include "libpgmem/pgmem.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	WATCH_NS = 2000000,      /* between two looks of the watchdog */
	ASLEEP_LOOKS = 2,        /* so often seen asleep, and the thread loses the turn; */
	RUNNING_LOOKS = 500,     /* so often seen running, likewise: it may spin; */
	SETTLE_NS = 50000,       /* between two looks at a thread that comes back, */
	SETTLE_LOOKS = 400,      /* so many of them */
	MESSAGE_THREADS = 8,     /* that a message names, */
	MESSAGE_BYTES = 128      /* at most, each */
};

bool pgmem_on;
__thread struct pgmem_thread *pgmem_self;
struct sim_machine pgmem_machine;

static struct pgmem_thread threads[PGMEM_THREADS]; /* their order is the ring's */
static unsigned slots;                             /* that were ever used: the first ones */
static unsigned created;
unsigned pgmem_quantum = 1;
static uint64_t tickets;
static _Atomic unsigned turns; /* given so far */
static _Atomic(struct pgmem_thread *) owner; /* of the turn; NULL: nobody can run */
static _Atomic unsigned strayed; /* who are outside, or back and not yet admitted */

/* ---- whose turn is next ---- */

static bool is(const struct pgmem_thread *t, enum pgmem_state state)
{
	return atomic_load(&t->state) == (int)state;
}

static unsigned count(enum pgmem_state state)
{
	unsigned n = 0;

	for (unsigned i = 0; i < slots; i++)
		n += is(&threads[i], state);
	return n;
}

static int64_t slowest(void)
{
	int64_t least = PGMEM_NEVER;

	for (unsigned i = 0; i < slots; i++)
		if (is(&threads[i], PGMEM_RUNNABLE) && threads[i].clock < least)
			least = threads[i].clock;
	return least;
}

/* Waits with a deadline are over when everybody who runs has come to it. */
static int64_t expire(int64_t least)
{
	struct pgmem_thread *first = NULL;

	for (unsigned i = 0; i < slots; i++) {
		struct pgmem_thread *t = &threads[i];

		if (is(t, PGMEM_WAITING) && t->wait.deadline < least) {
			first = t;
			least = t->wait.deadline;
		}
	}
	if (!first)
		return least;
	first->wait.result = ETIMEDOUT;
	first->clock = least > first->clock ? least : first->clock;
	atomic_store(&first->state, PGMEM_RUNNABLE);
	return first->clock;
}

static void nap(long ns)
{
	pgmem_syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = ns}, NULL);
}

/* The kernel has the thread in a system call that has to wait. */
static bool asleep(int tid)
{
	char path[64], text = '\0';
	int fd;

	snprintf(path, sizeof path, "/proc/self/task/%d/syscall", tid);
	fd = (int)pgmem_syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	pgmem_syscall(SYS_read, fd, &text, 1);
	pgmem_syscall(SYS_close, fd);
	return text >= '0' && text <= '9'; /* its number; not "running" */
}

/*
 * What the thread with the turn did may have ended the sleep of one outside: it is let come back
 * first, so that the moment does not depend on the host.
 */
static void settle(void)
{
	for (unsigned i = 0; i < slots; i++) {
		struct pgmem_thread *t = &threads[i];
		int looks = 0;

		while (is(t, PGMEM_OUTSIDE) && t->asleep && !asleep(t->tid)) {
			t->asleep = looks++ < SETTLE_LOOKS;
			nap(SETTLE_NS);
		}
	}
}

/* Who came back from outside can run from now on. */
static void admit(int64_t least)
{
	for (struct pgmem_thread *t = threads; t < threads + slots; t++)
		if (is(t, PGMEM_BACK)) {
			if (least != PGMEM_NEVER && t->clock < least)
				t->clock = least;
			atomic_store(&t->state, PGMEM_RUNNABLE);
			strayed--;
		}
}

/*
 * The next in the ring after t who can run and is not too far ahead. t itself, if nobody else. With
 * threads outside, no time passes while nobody runs: real time does (watchdog, which may leap).
 */
static struct pgmem_thread *choose(const struct pgmem_thread *t, bool leap)
{
	int64_t least;

	if (strayed) {
		settle();
		admit(slowest());
	}
	least = slowest();
	if (least != PGMEM_NEVER || leap || !strayed)
		least = expire(least);
	if (least == PGMEM_NEVER)
		return NULL;
	for (unsigned i = 1; i <= slots; i++) {
		struct pgmem_thread *next = &threads[((unsigned)(t - threads) + i) % slots];

		if (is(next, PGMEM_RUNNABLE) && next->clock <= least + PGMEM_LEAD)
			return next;
	}
	return NULL;
}

/* ---- handing it on ---- */

static void give(struct pgmem_thread *next)
{
	atomic_fetch_add(&turns, 1);
	atomic_store(&owner, next);
	atomic_store(&next->go, 1);
	pgmem_syscall(SYS_futex, &next->go, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* A thread that ended frees its memory without the turn: nothing else is done before. */
static void let_vanish(int tid)
{
	for (int i = 0; i < SETTLE_LOOKS && !pgmem_syscall(SYS_tgkill, getpid(), tid, 0); i++)
		nap(SETTLE_NS);
}

static void begin_turn(struct pgmem_thread *t)
{
	t->left = pgmem_quantum;
	t->began = t->clock;
}

void pgmem_await(struct pgmem_thread *t)
{
	while (!atomic_exchange(&t->go, 0))
		pgmem_syscall(SYS_futex, &t->go, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	if (t->after)
		let_vanish(t->after);
	t->after = 0;
	begin_turn(t);
}

static int say_wait(const struct pgmem_thread *t, const char *before, char *text, size_t room)
{
	const struct pgmem_kind *kind = t->wait.kind;
	const unsigned long long pc = t->wait.pc, object = (uintptr_t)t->wait.object;
	const int has_it = kind->owner ? kind->owner(t->wait.object) : -1;
	char has[32] = "";

	if (kind == &pgmem_end_of_thread)
		return snprintf(text, room, "%sthread %u waits for %s %d at 0x%llx", before,
				t->number, kind->name, has_it, pc);
	if (has_it >= 0)
		snprintf(has, sizeof has, " (thread %d has it)", has_it);
	return snprintf(text, room, "%sthread %u waits for %s 0x%llx%s at 0x%llx", before,
			t->number, kind->name, object, has, pc);
}

static _Noreturn void deadlock(void)
{
	char text[MESSAGE_THREADS * MESSAGE_BYTES] = "";
	const unsigned waiting = count(PGMEM_WAITING);
	int n = 0, said = 0;

	for (unsigned i = 0; i < slots; i++)
		if (is(&threads[i], PGMEM_WAITING) && said++ < MESSAGE_THREADS)
			n += say_wait(&threads[i], n ? "; " : "", text + n, MESSAGE_BYTES);
	if (waiting > MESSAGE_THREADS)
		snprintf(text + n, MESSAGE_BYTES, "; and %u more", waiting - MESSAGE_THREADS);
	pgmem_give_up("deadlock: %s", text);
}

/* Nobody has the turn, and somebody can run: t sees to it, if nobody else does. */
static void give_idle(struct pgmem_thread *t, bool leap)
{
	struct pgmem_thread *none = NULL;

	if (atomic_compare_exchange_strong(&owner, &none, t))
		give(choose(t, leap));
}

/*
 * Nobody could run. Who comes back from outside while this is decided is seen by one of both.
 * false: there is no thread left that could ever run.
 */
static bool rest(struct pgmem_thread *t)
{
	if (!strayed) {
		if (count(PGMEM_WAITING))
			deadlock();
		return false;
	}
	atomic_store(&owner, NULL);
	if (count(PGMEM_BACK))
		give_idle(t, false);
	return true;
}

/* false: as rest(). */
static bool hand_on(struct pgmem_thread *t, struct pgmem_thread *next)
{
	if (next)
		give(next);
	return next || rest(t);
}

void pgmem_turn(struct pgmem_thread *t)
{
	struct pgmem_thread *next = choose(t, false);

	if (next == t) {
		begin_turn(t);
	} else {
		hand_on(t, next);
		pgmem_await(t);
	}
}

/* ---- in and out ---- */

/* The watchdog gave the turn to others. */
static void come_back(struct pgmem_thread *t)
{
	atomic_store(&t->state, PGMEM_BACK);
	give_idle(t, false);
	pgmem_await(t);
}

struct pgmem_thread *pgmem_enter(void)
{
	struct pgmem_thread *t = pgmem_self;

	if (!pgmem_on || !t || atomic_load_explicit(&t->phase, memory_order_relaxed) == PGMEM_INSIDE)
		return NULL;
	t->error = errno;
	if (atomic_exchange_explicit(&t->phase, PGMEM_INSIDE, memory_order_acq_rel) == PGMEM_TAKEN)
		come_back(t);
	return t;
}

void pgmem_leave(struct pgmem_thread *t)
{
	if (pgmem_gathered)
		pgmem_write();
	errno = t->error;
	atomic_store_explicit(&t->phase, PGMEM_AWAY, memory_order_release);
}

int64_t pgmem_last_cycle(void)
{
	int64_t last = 0;

	for (unsigned i = 0; i < slots; i++)
		last = threads[i].clock > last ? threads[i].clock : last;
	return last;
}

/* ---- waiting ---- */

int pgmem_wait(struct pgmem_thread *t, const struct pgmem_kind *kind, void *object, uint64_t pc,
	       int64_t deadline)
{
	t->wait.kind = kind;
	t->wait.object = object;
	t->wait.pc = pc;
	t->wait.ticket = tickets++;
	t->wait.deadline = deadline;
	t->wait.result = 0;
	atomic_store(&t->state, PGMEM_WAITING);
	pgmem_turn(t);
	return t->wait.result;
}

struct pgmem_thread *pgmem_first(const void *object, uint64_t ticket)
{
	struct pgmem_thread *first = NULL;

	for (unsigned i = 0; i < slots; i++) {
		struct pgmem_thread *t = &threads[i];

		if (is(t, PGMEM_WAITING) && t->wait.object == object && t->wait.ticket >= ticket &&
		    (!first || t->wait.ticket < first->wait.ticket))
			first = t;
	}
	return first;
}

unsigned pgmem_offer(const struct pgmem_thread *t, void *object, unsigned most)
{
	struct pgmem_thread *w;
	unsigned woken = 0;

	for (uint64_t ticket = 0; woken < most && (w = pgmem_first(object, ticket));
	     ticket = w->wait.ticket + 1) {
		if (w->wait.kind->take && !w->wait.kind->take(object, w))
			continue;
		w->clock = w->clock < t->clock ? t->clock : w->clock;
		atomic_store(&w->state, PGMEM_RUNNABLE);
		woken++;
	}
	return woken;
}

/* ---- the watchdog ---- */

/* Takes the turn from a thread that does not use it, unless it came to a hook meanwhile. */
static void take(struct pgmem_thread *t, bool sleeps)
{
	static bool said;
	int away = PGMEM_AWAY;

	if (!atomic_compare_exchange_strong(&t->phase, &away, PGMEM_TAKEN))
		return;
	t->asleep = sleeps;
	if (!sleeps)
		pgmem_say(&said, "a thread runs without an access, and others go on beside it: "
				 "another run may differ");
	strayed++;
	atomic_store(&t->state, PGMEM_OUTSIDE);
	hand_on(t, choose(t, false));
}

/* Nobody has the turn. `looks`: since when. What all wait for may be a time. */
static void look_idle(unsigned looks)
{
	int64_t soonest = PGMEM_NEVER;

	for (struct pgmem_thread *t = threads; t < threads + slots; t++)
		if (is(t, PGMEM_WAITING) && t->wait.deadline != PGMEM_NEVER &&
		    t->wait.deadline - t->clock < soonest)
			soonest = t->wait.deadline - t->clock;
	if (soonest <= (int64_t)looks * WATCH_NS)
		give_idle(threads, true);
}

static void look(void)
{
	static unsigned seen, sleeping, running, resting;
	struct pgmem_thread *t = atomic_load(&owner);
	unsigned now = atomic_load(&turns);

	resting = t ? 0 : resting + 1;
	if (resting)
		look_idle(resting);
	if (resting || now != seen || atomic_load(&t->phase) != PGMEM_AWAY) {
		seen = now;
		sleeping = running = 0;
		return;
	}
	sleeping = asleep(t->tid) ? sleeping + 1 : 0;
	running += count(PGMEM_RUNNABLE) + count(PGMEM_BACK) > 1;
	if (sleeping >= ASLEEP_LOOKS || running >= RUNNING_LOOKS)
		take(t, sleeping > 0);
}

static void *watch(void *unused)
{
	(void)unused;
	for (;;) {
		nap(WATCH_NS);
		look();
	}
	return NULL;
}

void pgmem_watch(void)
{
	pthread_t handle;
	sigset_t all, before;

	sigfillset(&all);
	PGMEM_REAL(pthread_sigmask)(SIG_SETMASK, &all, &before);
	if (PGMEM_REAL(pthread_create)(&handle, NULL, watch, NULL))
		pgmem_give_up("the watchdog thread cannot be started");
	PGMEM_REAL(pthread_sigmask)(SIG_SETMASK, &before, NULL);
}

/* ---- threads ---- */

struct pgmem_thread *pgmem_new_thread(void)
{
	struct pgmem_thread *t = threads;

	while (t < threads + slots && !is(t, PGMEM_FREE))
		t++;
	if (t == threads + PGMEM_THREADS)
		return NULL;
	slots += t == threads + slots;
	if (!created)
		atomic_store(&owner, t);
	*t = (struct pgmem_thread){.number = created,
				   .cpu = created % pgmem_machine.cpus,
				   .phase = PGMEM_INSIDE,
				   .left = pgmem_quantum};
	created++;
	return t;
}

struct pgmem_thread *pgmem_thread_of(pthread_t handle)
{
	struct pgmem_thread *youngest = NULL;

	for (struct pgmem_thread *t = threads; t < threads + slots; t++)
		if (pthread_equal(t->handle, handle) && (!youngest || t->number > youngest->number))
			youngest = t;
	return youngest;
}

static int number_of(const void *thread)
{
	return (int)((const struct pgmem_thread *)thread)->number;
}

const struct pgmem_kind pgmem_end_of_thread = {.name = "end of thread", .owner = number_of};

void pgmem_thread_over(struct pgmem_thread *t)
{
	struct pgmem_thread *next;

	pgmem_offer(t, t, PGMEM_THREADS);
	atomic_store(&t->state, PGMEM_FREE);
	pgmem_self = NULL;
	next = choose(t, false);
	if (next)
		next->after = t->number ? t->tid : 0; /* main stays until the process ends */
	if (!hand_on(t, next))
		exit(0); /* the C library would wait for the watchdog */
}
