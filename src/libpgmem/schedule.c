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
	STUCK_LOOKS = 2500,      /* so often nobody could run, and the process ends */
	SETTLE_NS = 50000,       /* between two looks at a thread that comes back, */
	SETTLE_LOOKS = 400,      /* so many of them */
	MESSAGE_THREADS = 8,     /* that a message names */
	WATCHDOG_STACK = 1 << 16 /* bytes */
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
static _Atomic(struct pgmem_thread *) owner;
static _Atomic int idle; /* 1: nobody has the turn, for nobody can run */

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

/*
 * The next in the ring after t who can run and is not too far ahead. t itself, if nobody else. With
 * threads outside, no time passes while nobody runs: real time does (watchdog).
 */
static struct pgmem_thread *choose(const struct pgmem_thread *t, bool leap)
{
	int64_t least = slowest();

	if (least != PGMEM_NEVER || leap)
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

static void nap(long ns)
{
	pgmem_syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = ns}, NULL);
}

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

static size_t say_wait(const struct pgmem_thread *t, const char *before, char *text, size_t room)
{
	static const char *const names[] = {
#define WAIT_NAME(name, text) text,
	    PGMEM_WAITS(WAIT_NAME)
#undef WAIT_NAME
	};
	const struct pgmem_thread *other = (const void *)(uintptr_t)t->wait.object;
	char what[64], has[32] = "";
	int holder = t->wait.what == PGMEM_FOR_MUTEX ? pgmem_mutex_owner(t->wait.object) : -1, n;

	if (t->wait.what == PGMEM_FOR_THREAD)
		snprintf(what, sizeof what, "%u", other->number);
	else
		snprintf(what, sizeof what, "0x%llx",
			 (unsigned long long)(uintptr_t)t->wait.object);
	if (holder >= 0)
		snprintf(has, sizeof has, " (thread %d has it)", holder);
	n = snprintf(text, room, "%sthread %u waits for %s %s%s at 0x%llx", before, t->number,
		     names[t->wait.what], what, has, (unsigned long long)t->wait.pc);
	return n < 0 || (size_t)n >= room ? room - 1 : (size_t)n;
}

static _Noreturn void deadlock(void)
{
	char text[1024];
	size_t n = 0, said = 0;
	unsigned waiting = count(PGMEM_WAITING);

	text[0] = '\0';
	for (unsigned i = 0; i < slots; i++)
		if (is(&threads[i], PGMEM_WAITING) && said++ < MESSAGE_THREADS)
			n += say_wait(&threads[i], n ? "; " : "", text + n, sizeof text - n);
	if (waiting > MESSAGE_THREADS)
		snprintf(text + n, sizeof text - n, "; and %u more", waiting - MESSAGE_THREADS);
	pgmem_give_up("deadlock: %s", text);
}

/* Nobody has the turn, and somebody can run. */
static void give_idle(const struct pgmem_thread *t, bool leap)
{
	struct pgmem_thread *next;
	int one = 1;

	if (atomic_compare_exchange_strong(&idle, &one, 0) && (next = choose(t, leap)))
		give(next);
}

/*
 * Nobody could run. Who comes back from outside while this is decided is seen by one of both.
 * false: there is no thread left that could ever run.
 */
static bool rest(const struct pgmem_thread *t)
{
	if (!count(PGMEM_OUTSIDE) && slowest() == PGMEM_NEVER) {
		if (count(PGMEM_WAITING))
			deadlock();
		return false;
	}
	atomic_store(&owner, NULL);
	atomic_store(&idle, 1);
	if (slowest() != PGMEM_NEVER)
		give_idle(t, false);
	return true;
}

/* Where the kernel has a thread: the number of a system call that it sleeps in, -1: it runs. */
static int asleep_in(int tid)
{
	char path[64], text[16];
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "/proc/self/task/%d/syscall", tid);
	fd = (int)pgmem_syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = pgmem_syscall(SYS_read, fd, text, sizeof text - 1);
	pgmem_syscall(SYS_close, fd);
	text[n > 0 ? n : 0] = '\0';
	return text[0] >= '0' && text[0] <= '9' ? atoi(text) : -1;
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

		while (is(t, PGMEM_OUTSIDE) && t->asleep && asleep_in(t->tid) < 0) {
			t->asleep = looks++ < SETTLE_LOOKS;
			nap(SETTLE_NS);
		}
	}
}

void pgmem_turn(struct pgmem_thread *t)
{
	struct pgmem_thread *next;

	if (count(PGMEM_OUTSIDE))
		settle();
	next = choose(t, !count(PGMEM_OUTSIDE));
	if (next == t) {
		begin_turn(t);
		return;
	}
	if (next)
		give(next);
	else
		rest(t);
	pgmem_await(t);
}

/* ---- in and out ---- */

/* The watchdog gave the turn to others. */
static void come_back(struct pgmem_thread *t)
{
	int64_t least = slowest();

	if (least != PGMEM_NEVER && t->clock < least)
		t->clock = least;
	atomic_store(&t->state, PGMEM_RUNNABLE);
	give_idle(t, false);
	pgmem_await(t);
}

struct pgmem_thread *pgmem_enter(void)
{
	struct pgmem_thread *t = pgmem_self;

	if (!pgmem_on || !t || t->inside)
		return NULL;
	t->inside = true;
	if (atomic_exchange_explicit(&t->phase, PGMEM_INSIDE, memory_order_acq_rel) == PGMEM_TAKEN)
		come_back(t);
	return t;
}

void pgmem_leave(struct pgmem_thread *t)
{
	atomic_store_explicit(&t->phase, PGMEM_AWAY, memory_order_release);
	t->inside = false;
	if (pgmem_fatal)
		pgmem_die();
}

bool pgmem_has_turn(void)
{
	return pgmem_self && atomic_load(&owner) == pgmem_self;
}

bool pgmem_recording(void)
{
	return pgmem_on && pgmem_self && !pgmem_self->inside;
}

unsigned pgmem_thread(void)
{
	return pgmem_self ? pgmem_self->number : 0;
}

int64_t pgmem_last_cycle(void)
{
	int64_t last = 0;

	for (unsigned i = 0; i < slots; i++)
		last = threads[i].clock > last ? threads[i].clock : last;
	return last;
}

/* ---- waiting ---- */

int pgmem_wait(struct pgmem_thread *t, enum pgmem_waits what, const volatile void *object,
	       uint64_t pc, int64_t deadline)
{
	t->wait.what = what;
	t->wait.object = object;
	t->wait.pc = pc;
	t->wait.ticket = tickets++;
	t->wait.deadline = deadline;
	t->wait.result = 0;
	atomic_store(&t->state, PGMEM_WAITING);
	pgmem_turn(t);
	return t->wait.result;
}

struct pgmem_thread *pgmem_first(enum pgmem_waits what, const volatile void *object)
{
	struct pgmem_thread *first = NULL;

	for (unsigned i = 0; i < slots; i++) {
		struct pgmem_thread *t = &threads[i];

		if (is(t, PGMEM_WAITING) && t->wait.what == what && t->wait.object == object &&
		    (!first || t->wait.ticket < first->wait.ticket))
			first = t;
	}
	return first;
}

void pgmem_wake(const struct pgmem_thread *t, struct pgmem_thread *waiter)
{
	if (waiter->clock < t->clock)
		waiter->clock = t->clock;
	atomic_store(&waiter->state, PGMEM_RUNNABLE);
}

/* ---- the watchdog ---- */

static void say_spins(const struct pgmem_thread *t)
{
	static bool said;
	char text[160];
	int n = snprintf(text, sizeof text,
			 "pgmem: thread %u runs without an access, and others go on beside it: "
			 "another run may differ\n",
			 t->number);

	if (!said)
		pgmem_syscall(SYS_write, STDERR_FILENO, text, n);
	said = true;
}

/* Takes the turn from a thread that does not use it, unless it came to a hook meanwhile. */
static void take(struct pgmem_thread *t, bool asleep)
{
	struct pgmem_thread *next;
	int away = PGMEM_AWAY;

	if (!atomic_compare_exchange_strong(&t->phase, &away, PGMEM_TAKEN))
		return;
	t->asleep = asleep;
	if (!asleep)
		say_spins(t);
	atomic_store(&t->state, PGMEM_OUTSIDE);
	next = choose(t, false);
	if (next)
		give(next);
	else
		rest(t);
}

/* Nobody has the turn. `looks`: since when. What all wait for is a time, or it will never come. */
static void look_idle(unsigned looks)
{
	bool stuck = count(PGMEM_WAITING) > 0;
	int64_t soonest = PGMEM_NEVER;

	for (unsigned i = 0; i < slots; i++) {
		struct pgmem_thread *t = &threads[i];

		if (is(t, PGMEM_OUTSIDE) && asleep_in(t->tid) != SYS_futex)
			stuck = false;
		if (is(t, PGMEM_WAITING) && t->wait.deadline != PGMEM_NEVER &&
		    t->wait.deadline - t->clock < soonest)
			soonest = t->wait.deadline - t->clock;
	}
	if (soonest <= (int64_t)looks * WATCH_NS) {
		give_idle(threads, true);
	} else if (stuck && soonest == PGMEM_NEVER && looks > STUCK_LOOKS) {
		deadlock();
	}
}

static void look(void)
{
	static unsigned seen, asleep, running, resting;
	struct pgmem_thread *t = atomic_load(&owner);
	unsigned now = atomic_load(&turns);

	resting = atomic_load(&idle) ? resting + 1 : 0;
	if (resting)
		look_idle(resting);
	if (resting || !t || now != seen || atomic_load(&t->phase) != PGMEM_AWAY) {
		seen = now;
		asleep = running = 0;
		return;
	}
	asleep = asleep_in(t->tid) >= 0 ? asleep + 1 : 0;
	running += count(PGMEM_RUNNABLE) > 1;
	if (asleep >= ASLEEP_LOOKS || running >= RUNNING_LOOKS)
		take(t, asleep > 0);
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
	pthread_attr_t attr;
	pthread_t handle;
	sigset_t all, before;

	sigfillset(&all);
	PGMEM_REAL(pthread_sigmask)(SIG_SETMASK, &all, &before);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, WATCHDOG_STACK);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	if (PGMEM_REAL(pthread_create)(&handle, &attr, watch, NULL))
		pgmem_give_up("the watchdog thread cannot be started");
	pthread_attr_destroy(&attr);
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
				   .inside = true,
				   .phase = PGMEM_INSIDE,
				   .left = pgmem_quantum};
	created++;
	return t;
}

struct pgmem_thread *pgmem_thread_of(pthread_t handle)
{
	for (unsigned i = 0; i < slots; i++)
		if (!is(&threads[i], PGMEM_FREE) && pthread_equal(threads[i].handle, handle))
			return &threads[i];
	return NULL;
}

void pgmem_thread_over(struct pgmem_thread *t)
{
	struct pgmem_thread *next, *w;

	while ((w = pgmem_first(PGMEM_FOR_THREAD, t)))
		pgmem_wake(t, w);
	atomic_store(&t->state, t->detached ? PGMEM_FREE : PGMEM_OVER);
	pgmem_self = NULL;
	next = choose(t, !count(PGMEM_OUTSIDE));
	if (next) {
		next->after = t->number ? t->tid : 0; /* main stays until the process ends */
		give(next);
		return;
	}
	if (!rest(t))
		exit(0); /* the C library would wait for the watchdog */
}
