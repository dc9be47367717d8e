/*
 * The front end: fetch along the predicted path, and dispatch, which decodes, renames and
 * allocates.
 */
#include "core.h"

/* ---- fetch */

/* Is the block at the fetch pc there?  If it arrives only now, event says how long that took. */
static bool block_arrived(struct core *core, struct event *event)
{
	struct fetch *fetch = &core->fetch;
	int cache, tlb;

	*event = fetch->awaited;
	fetch->awaited = core_no_event;
	if (event->bits != 0 || core->machine->fetch_hits)
		return true;
	cache = cache_access(&core->icache, fetch->pc, core->now);
	tlb = cache_access(&core->itlb, fetch->pc, core->now);
	if (cache <= core->machine->icache.latency && tlb <= core->machine->itlb.latency)
		return true;
	if (cache > core->machine->icache.latency)
		fetch->awaited.bits |= EVENT_CACHE_MISS;
	if (tlb > core->machine->itlb.latency)
		fetch->awaited.bits |= EVENT_TLB_MISS;
	fetch->awaited.colour = tlb > cache ? EVENT_TLB_MISS : EVENT_CACHE_MISS;
	fetch->awaited.latency = (tlb > cache ? tlb : cache) - 1;
	fetch->resume = core->now + fetch->awaited.latency;
	return false;
}

/* What is fetched next: as predicted, or as it will be. Behind the last instruction nobody knows. */
static uint64_t next_pc(struct core *core, struct inst *inst)
{
	struct effect effect;

	if (!core->machine->perfect_branches)
		return predictor_next(&core->predictor, inst->insn, inst->pc, &inst->taken);
	inst->taken = isa_step(&core->oracle, core->text, &effect) && effect.next != inst->pc + 4;
	return inst->taken ? effect.next : inst->pc + 4;
}

static void fetch_one(struct core *core, const struct insn *insn, struct event event)
{
	struct inst *inst = ring_push(&core->fetch_queue);

	*inst = (struct inst){.insn = insn, .pc = core->fetch.pc};
	inst->before = predictor_save(&core->predictor);
	inst->next = next_pc(core, inst);
	core->fetch.pc = inst->next;
	core->fetch.recovering = false;
	core->counters.fetched++;
	core_birth(core, &inst->self, inst->pc, insn->text);
	core_enter(core, &inst->self, STAGE_IF, event);
}

/* One I-cache block a cycle, up to its end or a jump that is predicted. */
void core_fetch(struct core *core)
{
	uint64_t block_size = (uint64_t)core->machine->icache.block;
	uint64_t block = core->fetch.pc / block_size;
	struct event event;
	int n;

	if (core->now < core->fetch.resume)
		return;
	for (n = 0; n < core->machine->width; n++) {
		const struct insn *insn = isa_at(core->text, core->fetch.pc);
		uint64_t next = core->fetch.pc + 4;

		if (!insn || core->fetch_queue.count == core->machine->fetch_queue)
			return;
		if (n == 0 && !block_arrived(core, &event))
			return;
		fetch_one(core, insn, event);
		event = core_no_event;
		if (core->fetch.pc != next || core->fetch.pc / block_size != block)
			return;
	}
}

/* ---- dispatch */

/* Names the obstacle before inst, or DISPATCH_WIDTH if there is none. */
static enum dispatch_limit obstacle(const struct core *core, const struct inst *inst)
{
	enum queue queue = isa_queue(inst->insn);

	if (isa_is_nop(inst->insn))
		return DISPATCH_WIDTH;
	if (core->rob.count == core->machine->rob)
		return DISPATCH_ROB;
	if (core->queued[queue] == core->machine->queue[queue])
		return DISPATCH_INT + (enum dispatch_limit)queue;
	return DISPATCH_WIDTH;
}

static enum dispatch_limit idle_reason(const struct core *core)
{
	if (core->fetch.awaited.bits != 0)
		return DISPATCH_ICACHE;
	return core->fetch.recovering ? DISPATCH_RECOVERY : DISPATCH_FETCH;
}

static void rename_registers(struct core *core, struct inst *inst)
{
	const struct insn *insn = inst->insn;
	int i;

	for (i = 0; i < 2; i++)
		inst->src[i] = core->map[insn->src[i]];
	inst->dst = PREG_ZERO;
	if (isa_is_zero(insn->dst))
		return;
	inst->dst = core->free_preg[--core->free_count];
	inst->old = core->map[insn->dst];
	core->map[insn->dst] = inst->dst;
	core->preg[inst->dst].ready = false;
}

/* The next pc as decode sees it: it adds up the targets that are in the instruction itself. */
static uint64_t decoded_next(const struct inst *inst)
{
	enum form form = isa_form(inst->insn);
	bool direct = form == FORM_BRANCH || form == FORM_JUMP || form == FORM_CALL;

	return direct && inst->taken ? inst->pc + (uint64_t)inst->insn->imm : inst->next;
}

/*
 * Fetch went the wrong way though the direction was right: start again.  What the fetch queue holds
 * is forgotten without a record, as sim-outorder does it; it is lost once somebody younger is
 * decoded.
 */
static void repair_misfetch(struct core *core, struct inst *inst)
{
	inst->next = decoded_next(inst);
	core->counters.misfetches++;
	core->fetch.vanished += core->fetch_queue.count;
	while (core->fetch_queue.count > 0) {
		core->fetch.vanished_since += ring_at(&core->fetch_queue, 0)->self.since;
		ring_pop(&core->fetch_queue);
	}
	predictor_repair(&core->predictor, inst->before, inst->insn, inst->pc, inst->taken);
	core_redirect(core, inst->next, core->now + 1);
}

static void bury_vanished(struct core *core)
{
	struct fetch *fetch = &core->fetch;

	core->counters.lost += fetch->vanished;
	core->counters.stage_cycles[STAGE_IF] +=
	    fetch->vanished * core->now - fetch->vanished_since;
	fetch->vanished = 0;
	fetch->vanished_since = 0;
}

/* On the right path, lets the reference do the same; true if inst will turn out mispredicted. */
static bool step_reference(struct core *core, struct inst *inst)
{
	inst->on_path = core->on_path;
	if (!core->on_path)
		return false;
	if (core->reference.pc != inst->pc)
		core->fault = "dispatch has left the right path unnoticed";
	else if (!isa_step(&core->reference, core->text, &inst->should))
		core->fault = "the program leaves its memory";
	core->on_path = inst->should.next == inst->next;
	return !core->on_path;
}

static void allocate(struct core *core, struct inst *inst, struct event event)
{
	core->queued[isa_queue(inst->insn)]++;
	rename_registers(core, inst);
	if (isa_is_memory(inst->insn)) {
		core->counters.micro_ops++;
		core_birth(core, &inst->memory, inst->pc, "[internal ld/st]");
		core_enter(core, &inst->memory, STAGE_DA, core_no_event);
	}
	core_enter(core, &inst->self, STAGE_DA, event);
}

static void dispatch_one(struct core *core)
{
	struct inst inst = *ring_at(&core->fetch_queue, 0);
	struct event event = core_no_event;

	ring_pop(&core->fetch_queue);
	bury_vanished(core);
	if (decoded_next(&inst) != inst.next) {
		repair_misfetch(core, &inst);
		event.bits = EVENT_MISPREDICT;
	}
	if (step_reference(core, &inst))
		event.bits = EVENT_MISPREDICT;
	if (isa_is_nop(inst.insn)) {
		core_enter(core, &inst.self, STAGE_DA, event);
		core_leave(core, &inst.self, FATE_DROPPED);
	} else {
		allocate(core, &inst, event);
		*ring_push(&core->rob) = inst;
	}
}

void core_dispatch(struct core *core)
{
	enum dispatch_limit limit = DISPATCH_WIDTH;
	int n;

	for (n = 0; n < core->machine->width && limit == DISPATCH_WIDTH; n++) {
		if (core->fetch_queue.count == 0)
			limit = idle_reason(core);
		else
			limit = obstacle(core, ring_at(&core->fetch_queue, 0));
		if (limit == DISPATCH_WIDTH)
			dispatch_one(core);
	}
	core->counters.dispatch[limit]++;
}
