#include "config.h"

#include "analysis/pipeline/why_model.h"

#include <stddef.h>

const char *const why_time_names[WHY_TIMES] = {
#define NAME(id, name) name,
    WHY_TIME_INFO(NAME)
#undef NAME
};

const struct why_cause_info why_causes[WHY_CAUSES] = {
#define CAUSE(id, key, gone, bound, what) {key, bound, WHY_GONE_##gone},
    WHY_CAUSE_INFO(CAUSE)
#undef CAUSE
};

const struct why_place_info why_places[WHY_PLACES] = {
#define PLACE(id, name, waits, left, turn, who, cause) {WHY_##waits, WHY_##left, turn, WHY_##who},
    WHY_PLACE_INFO(PLACE)
#undef PLACE
};

const struct why_rule_info why_rules[WHY_RULES] = {
#define PLACE(id, name, waits, left, turn, who, cause) {name, WHY_##waits, WHY_##cause},
    WHY_PLACE_INFO(PLACE)
#undef PLACE
#define EDGE(id, name, waits, cause) {name, WHY_##waits, WHY_##cause},
    WHY_EDGE_INFO(EDGE)
#undef EDGE
};
