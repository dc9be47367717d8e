/*
 * What the tables of commands hold from commands_links.c: links between rows, lanes, threads
 * and how time is told.
 */
#ifndef PIPEGLASS_APP_PIPELINE_COMMANDS_LINKS_H
#define PIPEGLASS_APP_PIPELINE_COMMANDS_LINKS_H

#include "app/command.h"

struct pane;

enum status go_link(struct call *c, struct error *e); /* true: to a producer */
struct pane *links_pane(struct app *a);
enum status list_links(struct call *c, struct error *e);
enum status links_show(struct call *c, struct error *e); /* enum links_shown */
enum status set_link_stages(struct call *c, struct error *e);
enum status chain(struct call *c, struct error *e);
enum status chain_none(struct call *c, struct error *e);
enum status lanes_split(struct call *c, struct error *e);
enum status lanes_hide(struct call *c, struct error *e);
enum status lanes_show(struct call *c, struct error *e);
enum status set_colour_by(struct call *c, struct error *e);
enum status set_time(struct call *c, struct error *e);
enum status filter_thread(struct call *c, struct error *e);

#endif
