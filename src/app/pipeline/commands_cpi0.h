/*
 * What the tables of commands hold from commands_cpi0.c: the diagnosis by the growth-rate model,
 * and the machine that it is for.
 */
#ifndef PIPEGLASS_APP_PIPELINE_COMMANDS_CPI0_H
#define PIPEGLASS_APP_PIPELINE_COMMANDS_CPI0_H

#include "app/command.h"

enum status cpi0_open(struct call *c, struct error *e);
enum status machine_choose(struct call *c, struct error *e);
enum status machine_step(struct call *c, struct error *e); /* 1, -1 */

#endif
