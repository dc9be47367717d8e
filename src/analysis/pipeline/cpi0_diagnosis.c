#include "config.h"

#include "analysis/pipeline/cpi0_diagnosis.h"

#include <math.h>

const char *const cpi0_part_names[CPI0_PARTS] = {
#define PART_NAME(id, name, help, negative, counted) name,
    CPI0_PARTS_INFO(PART_NAME)
#undef PART_NAME
};

const char *const cpi0_part_helps[CPI0_PARTS] = {
#define PART_HELP(id, name, help, negative, counted) help,
    CPI0_PARTS_INFO(PART_HELP)
#undef PART_HELP
};

const char *const cpi0_part_negatives[CPI0_PARTS] = {
#define PART_NEGATIVE(id, name, help, negative, counted) negative,
    CPI0_PARTS_INFO(PART_NEGATIVE)
#undef PART_NEGATIVE
};

const char *const cpi0_part_counted[CPI0_PARTS] = {
#define PART_COUNTED(id, name, help, negative, counted) counted,
    CPI0_PARTS_INFO(PART_COUNTED)
#undef PART_COUNTED
};

static void check(struct cpi0_diagnosis *d)
{
	const struct cpi0_seen seen = {.measured = d->measured,
				       .simulated = d->own_order ? d->simulated : -1,
				       .drift = d->drift,
				       .once = d->once};

	d->flag_count = cpi0_check(d->flags, &d->c, &d->machine, &d->mix, &seen);
}

enum status cpi0_diagnose(struct cpi0_diagnosis *out, const struct machine *m,
			  const struct cpi0_mix *mix, double drift, struct error *e)
{
	enum status status;

	*out = (struct cpi0_diagnosis){
	    .machine = *m, .mix = *mix, .measured = -1, .simulated = -1, .drift = drift};
	if (mix->cycles && mix->committed)
		out->measured = (double)mix->cycles / (double)mix->committed;
	status = cpi0_model(&out->c, m, mix, e);
	if (!status)
		check(out);
	return status;
}

void cpi0_diagnosis_simulated(struct cpi0_diagnosis *d, double cpi, enum cpi0_order order)
{
	d->simulated = cpi;
	d->own_order = order != CPI0_ORDER_UNIFORM;
	d->once = order == CPI0_ORDER_RUN;
	check(d);
}

bool cpi0_mostly_filling(const struct cpi0_diagnosis *d)
{
	return d->once && d->simulated >= 0 && cpi0_too_short(&d->c, &d->machine);
}

void cpi0_split(double parts[CPI0_PARTS], const struct cpi0_diagnosis *d)
{
	double least = cpi0_real(d->c.bounds[CPI0_DISPATCH]), cpi = cpi0_real(d->c.cpi);
	bool ordered = d->own_order && d->simulated >= 0;

	parts[CPI0_PART_DISPATCH] = least;
	parts[CPI0_PART_QUEUE] = cpi - least;
	parts[CPI0_PART_ORDER] = ordered ? d->simulated - cpi : NAN;
	parts[CPI0_PART_REST] = ordered && d->measured >= 0 ? d->measured - d->simulated : NAN;
}
