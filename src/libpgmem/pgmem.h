/*
 * The runtime of recorded programs: what every part of libpgmem knows.
 *
 * A program compiled with -fsanitize=thread calls __tsan_* (access.c) at every access, and this
 * library instead of the C library where threads meet (sync.c). One thread at a time runs, the one
 * that has the *turn* (schedule.c); its references go to the simulator, whose records go through a
 * pipe to whoever records (stream.c). So all that is shared here has an owner, the thread with the
 * turn, and no locks, and two runs of a program do the same in the same order.
 *
 * Without PGMEM_FD in the environment nothing of this happens: the program runs as if built
 * without.
 *
 *     PGMEM_FD       descriptor of the pipe
 *     PGMEM_MACHINE  model of the caches, as sim_machine_read() takes it
 *     PGMEM_RULES    objects that are to lie elsewhere (moved.c)
 *     PGMEM_QUANTUM  references of a turn, 1 if absent
 *
 * The way in, from any code of the program:  struct pgmem_thread *t = pgmem_enter();  NULL: run
 * plainly. Else the thread has the turn, and keeps it until pgmem_reference(), pgmem_turn() or
 * pgmem_wait(): there others may have theirs. pgmem_leave(t) is the way out. Inside, hooks do
 * nothing: handlers of signals and the runtime's own calls are not recorded.
 */
#ifndef PIPEGLASS_LIBPGMEM_PGMEM_H
#define PIPEGLASS_LIBPGMEM_PGMEM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "simulator/simulator.h"

#define PGMEM_PUBLIC __attribute__((visibility("default")))
#define PGMEM_NEVER   INT64_MAX
#define PGMEM_AT_ONCE INT64_MIN /* not a wait, but a try */
#define PGMEM_PC      ((uint64_t)(uintptr_t)__builtin_return_address(0))

enum {
	PGMEM_THREADS = 256, /* that live at one time */
	PGMEM_LEAD = 1000,   /* cycles that a thread may be ahead of the slowest that can run */
	PGMEM_STATUS = 125   /* of the process, after pgmem_give_up() */
};

enum pgmem_state {
	PGMEM_FREE,     /* the slot has no thread, or one that ended */
	PGMEM_RUNNABLE, /* has the turn or waits for it */
	PGMEM_WAITING,  /* for another thread, in pgmem_wait() */
	PGMEM_OUTSIDE,  /* in a call that the runtime does not know, without the turn */
	PGMEM_BACK      /* from there: it can run when the next turn is given */
};

struct pgmem_thread;

/* What a thread waits for. */
struct pgmem_kind {
	const char *name; /* in messages, before the object */
	/* t has the object from now on, if it can. NULL: it waits until it is woken. */
	bool (*take)(void *object, const struct pgmem_thread *t);
	int (*owner)(const void *object); /* number of the thread that has it, or -1; NULL: -1 */
};

/*
 * Where a thread stands towards the turn. Hooks do nothing INSIDE; the watchdog takes the turn from
 * one that is AWAY.
 */
enum pgmem_phase { PGMEM_AWAY, PGMEM_INSIDE, PGMEM_TAKEN };

struct pgmem_thread {
	_Atomic int state; /* enum pgmem_state */
	_Atomic int phase; /* enum pgmem_phase */
	_Atomic int go;    /* 1: the turn is handed to it; a futex */
	unsigned number;   /* 0: main; in order of creation */
	unsigned cpu;      /* number % machine.cpus */
	_Atomic int tid;   /* 0: it has not come up yet */
	int after; /* whoever has this turn first lets the thread of this tid vanish; 0: none */
	pthread_t handle;
	bool asleep;           /* in a system call when the turn was taken from it */
	int error;             /* errno, as the program will find it */
	unsigned left;         /* references of this turn */
	unsigned rounds;       /* of the destructors of its data, at its end */
	const void *made;      /* the last block of the heap, until one is freed */
	int64_t clock;         /* cycles, */
	int64_t began;         /* when its turn began */
	struct {
		const struct pgmem_kind *kind;
		void *object;
		uint64_t pc;
		uint64_t ticket;  /* order of arrival */
		int64_t deadline; /* of its clock, or PGMEM_NEVER */
		int result;       /* 0, or ETIMEDOUT */
	} wait;
	uintptr_t stack, stack_bytes; /* its own accesses here are not references */
	void *(*start)(void *);
	void *argument;
};

/* ---- schedule.c ---- */

extern bool pgmem_on; /* the process is recorded */
extern __thread struct pgmem_thread *pgmem_self __attribute__((tls_model("initial-exec")));
extern struct sim_machine pgmem_machine;

/*
 * Reads the environment; if it says so, the process is recorded from now on, and the calling thread
 * is thread 0 and has the turn. Only the first call does something.
 */
void pgmem_begin(void);
extern unsigned pgmem_quantum;

struct pgmem_thread *pgmem_enter(void);
void pgmem_leave(struct pgmem_thread *t);

/* Others may run now; returns in the thread's next turn. */
void pgmem_turn(struct pgmem_thread *t);
/*
 * Until pgmem_offer() or the deadline (of its clock; PGMEM_NEVER): 0 or ETIMEDOUT. Gives up the
 * process if nobody is left who could wake it.
 */
int pgmem_wait(struct pgmem_thread *t, const struct pgmem_kind *kind, void *object, uint64_t pc,
	       int64_t deadline);
/* The first of those that wait for an object and came with this ticket or later; NULL: none. */
struct pgmem_thread *pgmem_first(const void *object, uint64_t ticket);
/*
 * Who waits for an object can run, from the clock of t on, and has it if it can be had: in the
 * order they came, `most` of them. Gives how many. O(threads) each.
 */
unsigned pgmem_offer(const struct pgmem_thread *t, void *object, unsigned most);
/* The clock of the thread that is ahead. */
int64_t pgmem_last_cycle(void);

/* In a free slot, the next number; inside, without a turn. NULL: PGMEM_THREADS live. */
struct pgmem_thread *pgmem_new_thread(void);
/* It may have ended. NULL: it is none of ours, or long gone. */
struct pgmem_thread *pgmem_thread_of(pthread_t handle);
extern const struct pgmem_kind pgmem_end_of_thread;
/* Sleeps until the thread is given the turn. */
void pgmem_await(struct pgmem_thread *t);
/* The last that a thread does with the turn; who waits for its end can run. */
void pgmem_thread_over(struct pgmem_thread *t);
/* Starts the watchdog: from now on no thread keeps the turn that does not use it. */
void pgmem_watch(void);

/* ---- kernel.c ---- */

/* The C library's own system call: neither intercepted nor recorded. -1 and errno. */
extern long (*pgmem_syscall)(long number, ...);
/* A time of that clock as a deadline. NULL: PGMEM_NEVER. */
int64_t pgmem_deadline(clockid_t clock, const struct timespec *at);
/* Waits of libraries that ask the kernel themselves (libgomp) are ours: once in each thread. */
void pgmem_dispatch(void);

/* ---- access.c ---- */

/* One access as the program makes it: simulated when the turn of the thread has come. */
void pgmem_reference(struct pgmem_thread *t, uint64_t pc, uint64_t address, uint32_t size,
		     bool write);
/*
 * The write of a lock, or of what else threads wait for; nothing if the machine's locks are silent.
 * It takes its cycles, but no turn of its own; only a turn longer than PGMEM_LEAD ends.
 */
void pgmem_touch(struct pgmem_thread *t, uint64_t pc, const volatile void *word);

/* ---- moved.c ---- */

/* Text as in PGMEM_RULES; false: it is not. Statics that rules name are told of. */
bool pgmem_rules_read(const char *text);
/* Where the simulator is told that an address lies. O(log of moved objects). */
uint64_t pgmem_moved(uint64_t address);
/* An object is born (pc and name are what rules match) or gone. O(moved objects) if it is moved. */
void pgmem_moved_created(uint64_t address, uint64_t size, uint64_t pc, const char *name);
void pgmem_moved_deleted(uint64_t address, uint64_t size);

/* ---- stream.c ---- */

bool pgmem_stream_open(int fd, const struct sim_machine *m); /* V, i; makes the simulator */
extern struct sim *pgmem_sim;
/* A record. What a thread emits is written when it leaves, as a whole. */
void pgmem_emit(const struct sim_record *r);
extern size_t pgmem_gathered; /* records to be written */
void pgmem_write(void);
uint32_t pgmem_text(const char *text); /* copied; its id */
/* TRACE_ON, TRACE_OFF: simulated always, written while on. */
void pgmem_trace(int on);

/*
 * The last record: E if message is NULL, else `!` with it (one line); the pipe is closed; the
 * program goes on, scheduled as before and unrecorded. Only the first call does something.
 */
void pgmem_end(const char *message);
/* A line on standard error, unless it was said. */
void pgmem_say(bool *said, const char *text);
/* And the process ends: PGMEM_STATUS. "at 0xHEX" is a return address that the reader names. */
_Noreturn void pgmem_give_up(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- the C library's own functions ---- */

/* What sync.c and others stand in front of. */
#define PGMEM_REAL(name)                                                                           \
	__extension__({                                                                            \
		static __typeof__(&name) real_;                                                    \
		if (!real_)                                                                        \
			real_ = (__typeof__(&name))pgmem_real(#name);                              \
		real_;                                                                             \
	})
void *pgmem_real(const char *name);

#endif
