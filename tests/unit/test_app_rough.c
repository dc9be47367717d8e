/* What the app says of pictures whose stages are interpolated. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app_driver.h"
#include "pipeline/kind.h"
#include "trace_two_stays.h"

static struct app *start_two_stays(void)
{
	struct error e = {STATUS_OK, ""};
	char path[64];
	struct app *a;
	FILE *f;

	snprintf(path, sizeof(path), "%s/two.kanata", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	two_stays_write(f);
	assert_int_equal(fclose(f), 0);
	a = start_with("none", NULL, path);
	assert_int_equal(store_wait(store_of_trace(app_trace(a)), &e), STATUS_OK);
	app_progress(a);
	return a;
}

TEST(what_is_interpolated_says_so)
{
	struct app *a = start_two_stays();

	shows_not(a, "interpolated");
	run(a, "goto row 0 ; goto cycle 1950 ; zoom fit");
	shows(a, ":128 interpolated  ");
	shows(a, "8 192 rows, 128 cycles: mostly F (interpolated)");
	run(a, "zoom reset");
	shows_not(a, "interpolated");
	app_free(a);
}

/* Little text under the cursor is read, however much there is under the whole picture. */
TEST(a_cell_is_exact)
{
	struct app *a = start_two_stays();

	run(a, "goto row 0 ; goto cycle 1100 ; zoom rows-out 1 ; zoom cycles-out 4");
	shows(a, "2 rows, 16 cycles: mostly X");
	shows_not(a, "(interpolated)");
	run(a, "zoom reset ; goto row 0 ; goto cycle 1100 ; zoom cycles-out 6");
	shows(a, "1 row, 64 cycles: mostly X");
	shows_not(a, "(interpolated)");
	app_free(a);
}

FIXTURES(setup, teardown)
