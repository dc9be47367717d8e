#include "core.h"

#include <stdlib.h>

/* Queues and units of the four-wide machine are the MIPS R10000's, its reorder buffer is larger, so
 * that queues fill first; the caches are small, as the programs are. */
#define COMMON_MEMORY                                                                              \
	.memory = 50, .tlb_miss = 30,                                                              \
	.icache = {.sets = 64, .ways = 2, .block = 32, .latency = 1},                              \
	.dcache = {.sets = 64, .ways = 2, .block = 32, .latency = 1},                              \
	.l2 = {.sets = 128, .ways = 4, .block = 64, .latency = 8},                                 \
	.itlb = {.sets = 1, .ways = 8, .block = 4096, .latency = 1},                               \
	.dtlb = {.sets = 1, .ways = 8, .block = 4096, .latency = 1},                               \
	.predictor = {.counters = 1024, .targets = 64, .returns = 8, .history = 8}

const struct machine core_two_wide = {
    .width = 2,
    .fetch_queue = 4,
    .rob = 24,
    .queue = {[QUEUE_INT] = 8, [QUEUE_MEM] = 8, [QUEUE_FP] = 8},
    .recovery = 2,
    .mshrs = 2,
    .unit = {[UNIT_ALU] = {2, 1, 1},
	     [UNIT_AGEN] = {1, 1, 1},
	     [UNIT_PORT] = {1, 1, 1},
	     [UNIT_FADD] = {1, 2, 1},
	     [UNIT_FMUL] = {1, 2, 1}},
    COMMON_MEMORY,
};

const struct machine core_four_wide = {
    .width = 4,
    .fetch_queue = 8,
    .rob = 48,
    .queue = {[QUEUE_INT] = 16, [QUEUE_MEM] = 16, [QUEUE_FP] = 16},
    .recovery = 3,
    .mshrs = 4,
    .unit = {[UNIT_ALU] = {2, 1, 1},
	     [UNIT_AGEN] = {1, 1, 1},
	     [UNIT_PORT] = {1, 1, 1},
	     [UNIT_FADD] = {1, 2, 1},
	     [UNIT_FMUL] = {1, 2, 1}},
    COMMON_MEMORY,
};

const struct event core_no_event = {0, 0, 0};

enum { PATIENCE = 10000 }; /* cycles without a commit: the model is stuck */

struct inst *ring_at(struct ring *ring, int k)
{
	return &ring->slot[(ring->head + k) % RING_MAX];
}

struct inst *ring_push(struct ring *ring)
{
	return ring_at(ring, ring->count++);
}

void ring_pop(struct ring *ring)
{
	ring->head = (ring->head + 1) % RING_MAX;
	ring->count--;
}

void core_birth(struct core *core, struct entity *entity, uint64_t pc, const char *text)
{
	*entity = (struct entity){.seq = core->next_seq++, .stage = STAGE_NONE};
	core->counters.instructions++;
	trace_birth(core->trace, entity->seq, pc, text);
}

static void leave_stage(struct core *core, struct entity *entity)
{
	if (entity->stage != STAGE_NONE)
		core->counters.stage_cycles[entity->stage] += core->now - entity->since;
}

void core_enter(struct core *core, struct entity *entity, enum stage stage, struct event event)
{
	int i;

	leave_stage(core, entity);
	entity->stage = stage;
	entity->since = core->now;
	core->counters.stage_entries[stage]++;
	for (i = 0; i < EVENT_COUNT; i++) {
		if (event.bits & trace_events[i].mask)
			core->counters.event[i][stage]++;
		if (event.colour == trace_events[i].mask)
			core->counters.event_latency[i] += event.latency;
	}
	trace_stage(core->trace, entity->seq, stage, event);
}

void core_leave(struct core *core, struct entity *entity, enum fate fate)
{
	struct counters *n = &core->counters;

	leave_stage(core, entity);
	n->committed += fate == FATE_COMMITTED;
	n->squashed += fate == FATE_SQUASHED;
	n->dropped += fate == FATE_DROPPED;
	trace_removal(core->trace, entity->seq);
}

bool core_take_unit(struct core *core, enum unit unit)
{
	int i;

	for (i = 0; i < core->machine->unit[unit].count; i++) {
		if (core->unit_free[unit][i] <= core->now) {
			core->unit_free[unit][i] = core->now + core->machine->unit[unit].interval;
			core->counters.unit_busy[unit]++;
			return true;
		}
	}
	core->unit_was_full[unit] = true;
	return false;
}

int core_mshrs_used(const struct core *core)
{
	int used = 0, i;

	for (i = 0; i < core->machine->mshrs; i++)
		used += core->mshr_done[i] > core->now;
	return used;
}

void core_redirect(struct core *core, uint64_t pc, int64_t when)
{
	core->fetch.pc = pc;
	core->fetch.resume = when;
	core->fetch.awaited = core_no_event;
	core->fetch.recovering = true;
}

static void wire_caches(struct core *core)
{
	const struct machine *m = core->machine;

	core->icache.shape = &m->icache;
	core->dcache.shape = &m->dcache;
	core->icache.next = core->dcache.next = &core->l2;
	core->l2.shape = &m->l2;
	core->l2.beyond = m->memory;
	core->itlb.shape = &m->itlb;
	core->dtlb.shape = &m->dtlb;
	core->itlb.beyond = core->dtlb.beyond = m->tlb_miss;
}

struct core *core_create(const struct machine *machine, const struct text *text,
			 const struct arch *start, struct trace *trace)
{
	struct core *core = calloc(1, sizeof *core);
	int i;

	if (!core)
		return NULL;
	core->machine = machine;
	core->text = text;
	core->trace = trace;
	core->fetch.pc = start->pc;
	core->mem = start->mem;
	core->reference = core->oracle = *start;
	core->on_path = true;
	wire_caches(core);
	predictor_init(&core->predictor, &machine->predictor);
	core->preg[PREG_ZERO].ready = true;
	for (i = 0; i < REG_COUNT; i++) {
		core->map[i] = isa_is_zero((unsigned)i) ? PREG_ZERO : 1 + i;
		core->preg[1 + i].value = start->reg[i];
		core->preg[1 + i].ready = true;
	}
	for (i = PREG_COUNT - 1; i > REG_COUNT; i--)
		core->free_preg[core->free_count++] = i;
	return core;
}

static void end_cycle(struct core *core)
{
	struct counters *n = &core->counters;
	int u;

	for (u = 0; u < UNIT_COUNT; u++) {
		n->unit_full[u] += core->unit_was_full[u];
		core->unit_was_full[u] = false;
	}
	n->mshr_full += core->mshr_was_full;
	core->mshr_was_full = false;
	n->cycles++;
	trace_integer(core->trace, "NTcycle", core->now);
	trace_real(core->trace, "sim_IPC", (double)n->committed_instructions / (double)n->cycles);
	trace_integer(core->trace, "rob_used", core->rob.count);
	trace_integer(core->trace, "mshr_used", core_mshrs_used(core));
}

static void cycle(struct core *core)
{
	trace_cycle(core->trace, core->now);
	core_commit(core);
	core_writeback(core);
	core_issue(core);
	core_dispatch(core);
	core_fetch(core);
	end_cycle(core);
	core->now++;
	if (!core->fault && core->now - core->last_commit > PATIENCE)
		core->fault = "nothing commits any more";
}

static void count_in_flight(struct core *core, const struct entity *entity)
{
	core->counters.in_flight++;
	core->counters.stage_open_cycles[entity->stage] += core->now - 1 - entity->since;
}

/* What is still there when the trace ends, vanished entities that nobody passed included. */
static void close_counters(struct core *core)
{
	struct counters *n = &core->counters;
	int i;

	n->in_flight = core->fetch.vanished;
	n->stage_open_cycles[STAGE_IF] =
	    core->fetch.vanished * (core->now - 1) - core->fetch.vanished_since;
	for (i = 0; i < core->fetch_queue.count; i++)
		count_in_flight(core, &ring_at(&core->fetch_queue, i)->self);
	for (i = 0; i < core->rob.count; i++) {
		struct inst *inst = ring_at(&core->rob, i);

		count_in_flight(core, &inst->self);
		if (isa_is_memory(inst->insn))
			count_in_flight(core, &inst->memory);
	}
	if (n->instructions != n->committed + n->squashed + n->dropped + n->lost + n->in_flight)
		core->fault = "the fates do not add up";
}

bool core_run(struct core *core, int64_t max_cycles)
{
	while (!core->halted && !core->fault && (max_cycles == 0 || core->now < max_cycles))
		cycle(core);
	trace_close(core->trace);
	if (!core->fault)
		close_counters(core);
	return !core->fault;
}
