/*
 * The back end: issue out of order, writeback with recovery from mispredictions, commit in order.
 */
#include "core.h"

/* ---- issue */

static bool ready(const struct core *core, const struct inst *inst, int operand)
{
	return core->preg[inst->src[operand]].ready;
}

static uint64_t value(const struct core *core, const struct inst *inst, int operand)
{
	return core->preg[inst->src[operand]].value;
}

static void begin(struct core *core, struct entity *entity, int latency, struct event event)
{
	entity->done = core->now + latency;
	entity->missed = event.bits & (EVENT_CACHE_MISS | EVENT_TLB_MISS);
	core_enter(core, entity, STAGE_EX, event);
}

/* The instruction itself; of a load or store, the address generation. */
static void issue_self(struct core *core, struct inst *inst)
{
	enum unit unit = isa_ops[inst->insn->op].unit;
	bool memory = isa_is_memory(inst->insn);
	struct event event = core_no_event;

	if (inst->self.stage != STAGE_DA || !ready(core, inst, 0))
		return;
	if ((!memory && !ready(core, inst, 1)) || !core_take_unit(core, unit))
		return;
	inst->did = isa_effect(inst->insn, inst->pc, value(core, inst, 0), value(core, inst, 1));
	if (memory) {
		event.bits = EVENT_AGEN;
		inst->fault = !isa_word(&core->mem, inst->did.addr);
	} else {
		core->queued[isa_queue(inst->insn)]--;
	}
	begin(core, &inst->self, core->machine->unit[unit].latency, event);
}

/*
 * A load waits until all older stores know their addresses, and for the data of the youngest one
 * that writes to its own; *from is then that store, or NULL.
 */
static bool older_stores_allow(struct core *core, int k, const struct inst **from)
{
	const struct inst *load = ring_at(&core->rob, k);

	*from = NULL;
	while (--k >= 0) {
		const struct inst *store = ring_at(&core->rob, k);

		if (isa_form(store->insn) != FORM_STORE)
			continue;
		if (store->self.stage != STAGE_WB)
			return false;
		if (!*from && store->did.addr == load->did.addr)
			*from = store;
	}
	return !*from || (*from)->memory.stage == STAGE_WB;
}

/* Would an access miss while no more misses can be tracked? */
static bool mshrs_full(struct core *core, uint64_t addr)
{
	bool full = !core->machine->data_hits && !cache_has(&core->dcache, addr) &&
		    core_mshrs_used(core) == core->machine->mshrs;

	core->mshr_was_full |= full;
	return full;
}

static void take_mshr(struct core *core, int64_t done)
{
	int i;

	for (i = 0; i < core->machine->mshrs; i++) {
		if (core->mshr_done[i] <= core->now) {
			core->mshr_done[i] = done;
			return;
		}
	}
}

static struct event access_data(struct core *core, uint64_t addr, int *latency)
{
	struct event event = core_no_event;
	bool miss = !cache_has(&core->dcache, addr);
	int cache, tlb;

	*latency = core->machine->dcache.latency;
	if (core->machine->data_hits)
		return event;
	cache = cache_access(&core->dcache, addr, core->now);
	tlb = cache_access(&core->dtlb, addr, core->now);
	if (miss)
		take_mshr(core, core->now + cache);
	*latency = tlb > cache ? tlb : cache;
	if (cache > core->machine->dcache.latency)
		event.bits |= EVENT_CACHE_MISS;
	if (tlb > core->machine->dtlb.latency)
		event.bits |= EVENT_TLB_MISS;
	if (event.bits != 0) {
		event.latency = *latency;
		event.colour = tlb > cache ? EVENT_TLB_MISS : EVENT_CACHE_MISS;
	}
	return event;
}

static void issue_load(struct core *core, int k)
{
	struct inst *inst = ring_at(&core->rob, k);
	struct event event = core_no_event;
	int latency = core->machine->unit[UNIT_PORT].latency;
	const struct inst *from;
	bool cached;

	if (!older_stores_allow(core, k, &from))
		return;
	cached = !from && !inst->fault;
	if ((cached && mshrs_full(core, inst->did.addr)) || !core_take_unit(core, UNIT_PORT))
		return;
	if (from) {
		inst->did.value = from->did.value;
		core->counters.forwarded_loads++;
	} else if (cached) {
		inst->did.value = *isa_word(&core->mem, inst->did.addr);
		event = access_data(core, inst->did.addr, &latency);
	}
	begin(core, &inst->memory, latency, event);
}

/* The memory micro-op.  A store's is complete, without an EX, once its data is there. */
static void issue_memory(struct core *core, int k)
{
	struct inst *inst = ring_at(&core->rob, k);

	if (inst->memory.stage != STAGE_DA || inst->self.stage != STAGE_WB)
		return;
	if (isa_form(inst->insn) == FORM_LOAD) {
		issue_load(core, k);
	} else if (ready(core, inst, 1)) {
		inst->did.value = value(core, inst, 1);
		core_enter(core, &inst->memory, STAGE_WB, core_no_event);
	}
}

/* Oldest first. */
void core_issue(struct core *core)
{
	int k;

	for (k = 0; k < core->rob.count; k++) {
		struct inst *inst = ring_at(&core->rob, k);

		issue_self(core, inst);
		if (isa_is_memory(inst->insn))
			issue_memory(core, k);
	}
}

/* ---- writeback */

static void publish(struct core *core, const struct inst *inst)
{
	if (inst->dst == PREG_ZERO)
		return;
	core->preg[inst->dst].value = inst->did.value;
	core->preg[inst->dst].ready = true;
}

static void squash_youngest(struct core *core)
{
	struct inst *inst = ring_at(&core->rob, --core->rob.count);
	enum queue queue = isa_queue(inst->insn);

	if (queue == QUEUE_MEM || inst->self.stage == STAGE_DA)
		core->queued[queue]--;
	if (inst->dst != PREG_ZERO) {
		core->map[inst->insn->dst] = inst->old;
		core->free_preg[core->free_count++] = inst->dst;
	}
	if (isa_is_memory(inst->insn)) {
		core->counters.squashed_micro_ops++;
		core_leave(core, &inst->memory, FATE_SQUASHED);
	}
	core_leave(core, &inst->self, FATE_SQUASHED);
}

/* The k-th oldest went elsewhere than predicted: everything younger goes, youngest first. */
static void recover(struct core *core, int k)
{
	const struct inst *branch = ring_at(&core->rob, k);

	while (core->fetch_queue.count > 0) {
		core->fetch_queue.count--;
		core_leave(core, &ring_at(&core->fetch_queue, core->fetch_queue.count)->self,
			   FATE_SQUASHED);
	}
	while (core->rob.count > k + 1)
		squash_youngest(core);
	predictor_repair(&core->predictor, branch->before, branch->insn, branch->pc,
			 branch->did.next != branch->pc + 4);
	core_redirect(core, branch->did.next, core->now + core->machine->recovery);
	core->on_path = branch->on_path;
}

static void write_back_self(struct core *core, int k)
{
	struct inst *inst = ring_at(&core->rob, k);
	struct event event = core_no_event;

	if (!isa_is_memory(inst->insn))
		publish(core, inst);
	if (isa_is_control(inst->insn) && inst->did.next != inst->next) {
		event.bits = EVENT_DETECTED;
		if (inst->on_path)
			core->counters.mispredictions++;
		else
			core->counters.mispredictions_wrong_path++;
		recover(core, k);
	}
	core_enter(core, &inst->self, STAGE_WB, event);
}

/* Oldest first, so that what an older branch squashes does not write back. */
void core_writeback(struct core *core)
{
	int k;

	for (k = 0; k < core->rob.count; k++) {
		struct inst *inst = ring_at(&core->rob, k);

		if (inst->self.stage == STAGE_EX && inst->self.done == core->now)
			write_back_self(core, k);
		if (isa_is_memory(inst->insn) && inst->memory.stage == STAGE_EX &&
		    inst->memory.done == core->now) {
			publish(core, inst);
			core_enter(core, &inst->memory, STAGE_WB, core_no_event);
		}
	}
}

/* ---- commit */

/* What keeps inst from committing, or COMMIT_WIDTH if nothing does. */
static enum commit_limit waits_for(const struct inst *inst)
{
	bool memory = isa_is_memory(inst->insn);

	if (inst->self.stage == STAGE_WB && (!memory || inst->memory.stage == STAGE_WB))
		return COMMIT_WIDTH;
	if (memory && inst->memory.stage == STAGE_EX && inst->memory.missed != 0)
		return COMMIT_MISS;
	return COMMIT_INT + (enum commit_limit)isa_queue(inst->insn);
}

static const char *check(const struct inst *inst)
{
	const struct effect *did = &inst->did, *should = &inst->should;

	if (!inst->on_path)
		return "an instruction of a wrong path commits";
	if (inst->fault)
		return "an access outside memory commits";
	if (did->next != should->next || did->addr != should->addr || did->value != should->value)
		return "an instruction did not do what the in-order reference did";
	return NULL;
}

/* Misses of stores take no time: a write buffer without end is assumed. */
static bool write_store(struct core *core, const struct inst *inst, struct event *event)
{
	int latency;

	if (mshrs_full(core, inst->did.addr) || !core_take_unit(core, UNIT_PORT))
		return false;
	*event = access_data(core, inst->did.addr, &latency);
	event->latency = 0;
	event->colour = 0;
	*isa_word(&core->mem, inst->did.addr) = inst->did.value;
	return true;
}

static void retire(struct core *core, struct inst *inst, struct event event)
{
	struct counters *n = &core->counters;

	n->committed_instructions++;
	n->committed_unit[isa_ops[inst->insn->op].unit]++;
	if (inst->dst != PREG_ZERO)
		core->free_preg[core->free_count++] = inst->old;
	if (isa_is_control(inst->insn)) {
		n->branches++;
		predictor_learn(&core->predictor, inst->before, inst->insn, inst->pc,
				inst->did.next);
	}
	if (isa_is_memory(inst->insn)) {
		core->queued[QUEUE_MEM]--;
		n->committed_micro_ops++;
		n->committed_unit[UNIT_PORT]++;
		core_enter(core, &inst->memory, STAGE_CT, event);
		core_leave(core, &inst->memory, FATE_COMMITTED);
	}
	core_enter(core, &inst->self, STAGE_CT, event);
	core_leave(core, &inst->self, FATE_COMMITTED);
	core->halted = isa_form(inst->insn) == FORM_HALT;
	core->last_commit = core->now;
	ring_pop(&core->rob);
}

static enum commit_limit commit_one(struct core *core)
{
	struct inst *inst = ring_at(&core->rob, 0);
	struct event event = core_no_event;
	enum commit_limit limit;

	if (core->rob.count == 0)
		return COMMIT_EMPTY;
	limit = waits_for(inst);
	if (limit != COMMIT_WIDTH)
		return limit;
	core->fault = check(inst);
	if (core->fault)
		return COMMIT_WIDTH;
	if (isa_form(inst->insn) == FORM_STORE && !write_store(core, inst, &event))
		return COMMIT_STORE;
	retire(core, inst, event);
	return COMMIT_WIDTH;
}

void core_commit(struct core *core)
{
	enum commit_limit limit = COMMIT_WIDTH;
	int n;

	for (n = 0; n < core->machine->width && limit == COMMIT_WIDTH; n++) {
		if (core->halted || core->fault)
			break;
		limit = commit_one(core);
	}
	core->counters.commit[limit]++;
}
