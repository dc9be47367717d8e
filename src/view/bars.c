#include "config.h"

#include "view/bars.h"

enum { FIRST_EIGHTH = 0x2581 };

int bar_eighths(double part, int lines)
{
	int all = lines * BAR_EIGHTHS, most = lines > 1 ? all - 1 : all;
	int eighths = part <= 0 ? 1 : part >= 1 ? most : (int)(part * all) + 1;

	return eighths < most ? eighths : most;
}

int bar_top(int eighths, int lines)
{
	return lines - 1 - (eighths - 1) / BAR_EIGHTHS;
}

uint32_t bar_char(int eighths, int lines, int line)
{
	int top = bar_top(eighths, lines);

	if (line != top)
		return line < top ? ' ' : BAR_FULL;
	return FIRST_EIGHTH + (uint32_t)((eighths - 1) % BAR_EIGHTHS);
}
