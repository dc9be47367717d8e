#include "config.h"

#include "source/sigbus.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SLOT_FREE, SLOT_CLAIMED, SLOTS = 64 };

/* start is SLOT_FREE, SLOT_CLAIMED or an address; the rest counts only with an address there. */
struct slot {
	_Atomic uintptr_t start, end;
	_Atomic(_Atomic uint64_t *) faults;
};

/* Chunks are only ever added, so the handler may walk them at any moment. */
struct chunk {
	struct slot slots[SLOTS];
	_Atomic(struct chunk *) next;
};

static struct chunk first_chunk;
static struct sigaction previous;
static uintptr_t page_size;

static _Atomic uint64_t *slot_holding(struct slot *slot, uintptr_t address)
{
	uintptr_t start = atomic_load(&slot->start);
	if (start <= SLOT_CLAIMED || address < start || address >= atomic_load(&slot->end))
		return NULL;
	_Atomic uint64_t *faults = atomic_load(&slot->faults);
	/* another thread may have reused the slot between the loads */
	return atomic_load(&slot->start) == start ? faults : NULL;
}

static bool page_replaced(uintptr_t address)
{
	for (struct chunk *c = &first_chunk; c; c = atomic_load(&c->next)) {
		for (size_t i = 0; i < SLOTS; i++) {
			_Atomic uint64_t *faults = slot_holding(&c->slots[i], address);
			if (!faults)
				continue;
			void *page = (void *)(address & ~(page_size - 1));
			if (mmap(page, page_size, PROT_READ,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
				return false;
			atomic_fetch_add(faults, 1);
			return true;
		}
	}
	return false;
}

static void on_sigbus(int sig, siginfo_t *info, void *context)
{
	(void)context;
	int saved = errno;
	if (info->si_code <= 0 || !page_replaced((uintptr_t)info->si_addr)) {
		/* A fault happens again on return and then meets the previous handler with its
		 * own address; one that was sent must be sent again. */
		sigaction(SIGBUS, &previous, NULL);
		if (info->si_code <= 0)
			raise(sig);
	}
	errno = saved;
}

static void install(void)
{
	page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
	struct sigaction action = {.sa_sigaction = on_sigbus,
				   .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, &previous);
}

static struct slot *slot_claim(struct chunk *c)
{
	for (size_t i = 0; i < SLOTS; i++) {
		uintptr_t expected = SLOT_FREE;
		if (atomic_compare_exchange_strong(&c->slots[i].start, &expected, SLOT_CLAIMED))
			return &c->slots[i];
	}
	return NULL;
}

static struct chunk *chunk_after(struct chunk *c)
{
	struct chunk *next = atomic_load(&c->next);
	if (next)
		return next;
	struct chunk *fresh = calloc(1, sizeof(*fresh));
	if (!fresh)
		return NULL;
	if (atomic_compare_exchange_strong(&c->next, &next, fresh))
		return fresh;
	free(fresh);
	return next;
}

bool sigbus_watch(const void *base, size_t len, _Atomic uint64_t *faults)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, install);
	for (struct chunk *c = &first_chunk; c; c = chunk_after(c)) {
		struct slot *slot = slot_claim(c);
		if (!slot)
			continue;
		atomic_store(&slot->end, (uintptr_t)base + len);
		atomic_store(&slot->faults, faults);
		atomic_store(&slot->start, (uintptr_t)base);
		return true;
	}
	return false;
}

void sigbus_forget(const void *base)
{
	for (struct chunk *c = &first_chunk; c; c = atomic_load(&c->next)) {
		for (size_t i = 0; i < SLOTS; i++) {
			if (atomic_load(&c->slots[i].start) == (uintptr_t)base) {
				atomic_store(&c->slots[i].start, SLOT_FREE);
				return;
			}
		}
	}
}
