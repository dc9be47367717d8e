/*
 * `binary FILE [ADDRESS]`: the program that the simulator ran, for functions and source lines.
 *
 * It is the current tab's; in a configuration, where there is no tab, that of all tabs.
 */
#ifndef PIPEGLASS_APP_PIPELINE_COMMANDS_BINARY_H
#define PIPEGLASS_APP_PIPELINE_COMMANDS_BINARY_H

#include "app/command.h"

enum status set_binary(struct call *c, struct error *e);

#endif
