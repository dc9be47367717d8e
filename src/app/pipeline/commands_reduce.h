/*
 * What the tables of commands hold from commands_reduce.c: the reduced trace, and the pipeline that
 * it is looked at for.
 */
#ifndef PIPEGLASS_APP_PIPELINE_COMMANDS_REDUCE_H
#define PIPEGLASS_APP_PIPELINE_COMMANDS_REDUCE_H

#include "app/command.h"

enum status reduce_open(struct call *c, struct error *e);
enum status reduce_execute(struct call *c, struct error *e);
enum status reduce_setup(struct call *c, struct error *e);
enum status reduce_es(struct call *c, struct error *e);
enum status reduce_gamma(struct call *c, struct error *e);
enum status reduce_show_arcs(struct call *c, struct error *e);
enum status reduce_links(struct call *c, struct error *e);

#endif
