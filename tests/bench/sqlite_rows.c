/*
 * sqlite_rows FILE: the yardstick for importing tasks: every column that the importer asks for of
 * each row of the table trace, in its order, and nothing done with it. Prints how many rows.
 */
#include <sqlite3.h>
#include <stdio.h>

static const char sql[] = "select rowid, ID, ParentID, Kind, What, Location, StartTime, EndTime "
			  "from trace order by rowid";

static long sum_column(sqlite3_stmt *s, int column)
{
	switch (sqlite3_column_type(s, column)) {
	case SQLITE_INTEGER:
		return (long)sqlite3_column_int64(s, column);
	case SQLITE_FLOAT:
		return (long)sqlite3_column_double(s, column);
	default:
		return (long)(sqlite3_column_text(s, column) != NULL) + sqlite3_column_bytes(s, column);
	}
}

int main(int argc, char **argv)
{
	sqlite3 *db;
	sqlite3_stmt *s;
	long rows = 0;
	volatile long sum = 0;

	if (argc != 2 || sqlite3_open_v2(argv[1], &db, SQLITE_OPEN_READONLY, NULL) ||
	    sqlite3_prepare_v2(db, sql, -1, &s, NULL))
		return 1;
	for (; sqlite3_step(s) == SQLITE_ROW; rows++)
		for (int i = 0; i < sqlite3_column_count(s); i++)
			sum = sum + sum_column(s, i);
	printf("%ld\n", rows);
	sqlite3_finalize(s);
	sqlite3_close(db);
	return 0;
}
