#include "predictor.h"

#include <string.h>

static uint8_t *counter_of(struct predictor *p, uint64_t pc, unsigned history)
{
	return &p->counter[(pc / 4 ^ history) % p->shape->counters];
}

static struct predictor_target *target_of(struct predictor *p, uint64_t pc)
{
	return &p->target[pc / 4 % p->shape->targets];
}

void predictor_init(struct predictor *p, const struct predictor_shape *shape)
{
	memset(p, 0, sizeof *p);
	p->shape = shape;
	memset(p->counter, 2, sizeof p->counter);
}

struct predictor_state predictor_save(const struct predictor *p)
{
	return (struct predictor_state){p->history, p->top, p->returns[p->top]};
}

static void advance(struct predictor *p, const struct insn *insn, uint64_t pc, bool taken)
{
	if (isa_form(insn) == FORM_BRANCH) {
		p->history = (p->history << 1 | taken) % (1u << p->shape->history);
	} else if (isa_form(insn) == FORM_CALL) {
		p->top = (p->top + 1) % p->shape->returns;
		p->returns[p->top] = pc + 4;
	} else if (isa_form(insn) == FORM_RETURN) {
		p->top = (p->top + p->shape->returns - 1) % p->shape->returns;
	}
}

uint64_t predictor_next(struct predictor *p, const struct insn *insn, uint64_t pc, bool *taken)
{
	uint64_t next = pc + 4;

	*taken = isa_is_control(insn);
	if (isa_form(insn) == FORM_BRANCH)
		*taken = *counter_of(p, pc, p->history) >= 2;
	if (isa_form(insn) == FORM_RETURN)
		next = p->returns[p->top];
	else if (*taken && target_of(p, pc)->pc == pc)
		next = target_of(p, pc)->next;
	advance(p, insn, pc, *taken);
	return next;
}

void predictor_repair(struct predictor *p, struct predictor_state before, const struct insn *insn,
		      uint64_t pc, bool taken)
{
	p->history = before.history;
	p->top = before.top;
	p->returns[p->top] = before.top_value;
	advance(p, insn, pc, taken);
}

void predictor_learn(struct predictor *p, struct predictor_state before, const struct insn *insn,
		     uint64_t pc, uint64_t next)
{
	bool taken = next != pc + 4;
	uint8_t *counter = counter_of(p, pc, before.history);

	if (isa_form(insn) == FORM_BRANCH && taken && *counter < 3)
		++*counter;
	else if (isa_form(insn) == FORM_BRANCH && !taken && *counter > 0)
		--*counter;
	if (isa_form(insn) != FORM_RETURN && taken)
		*target_of(p, pc) = (struct predictor_target){pc, next};
}
