/*
 * Tests of the app as scripts: lines typed at its prompt, and what is on the screen then.
 *
 * A script is a text file of verbs, a line each; blank lines and those that begin with # are passed
 * over. What follows a verb and one blank is its text, as it is; a bar behind a blank at the end
 * keeps that blank, \n is the end of a line of the screen.
 *
 *     test NAME             a test begins, without an app
 *     file NAME             what follows, up to a line `end`, is written there
 *     config FILE           of the apps of this test; "own" is the one of the user
 *     on [TRACE]            an app with this trace, 100 x 20 cells
 *     complains [TEXT]      the configuration has a slip of which TEXT is told; or has none
 *     ascii                 all characters of its screen are ASCII
 *     run LINE              LINE is a command and is right
 *     wrong LINE -> TEXT    LINE is refused, and the message holds TEXT
 *     size COLUMNSxROWS     of the screen, from here on
 *     click X Y             and click-twice, and wheel: downwards
 *     shows TEXT            TEXT is on the screen
 *     shows-not TEXT        it is not
 *     only-ascii            is what is on the screen
 *     row N                 the cursor is at this row
 *     row-in TAB N          so is that of this tab, counted from 1
 *     tick N                the cursor is at this tick
 *     tab N                 this tab has the focus
 *     panes N               so many panes are open
 *     clipboard TEXT        what was yanked last
 *     yanked TEXT           is held by what was yanked last
 */
#ifndef TESTS_UNIT_APP_SCRIPT_H
#define TESTS_UNIT_APP_SCRIPT_H

/*
 * Run tests/unit/scripts/NAME.app in the folder that its traces are in. A test ends with what it finds
 * wrong, which is printed as FILE:LINE: what; the others run all the same, and then this one fails.
 */
void play_script(const char *name, const char *folder);

#endif
