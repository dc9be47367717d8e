#include "config.h"

#include "tasks_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef HAVE_SQLITE
#include <sqlite3.h>
#endif

#define TASKS_B                                                                                    \
	"create table trace(ID,ParentID,Kind,What,Location,StartTime,EndTime);"                    \
	"insert into trace values('7@L1','7_req_out','req_in','*mem.ReadReq','L1',3e-09,9e-09),"   \
	"('7_req_out','w1','req_out','*mem.ReadReq','CU[0]',2e-09,1e-08),"                         \
	"('w1','','wavefront','wavefront','CU[0]',1e-09,1.2e-08);"

#define TABLES_D                                                                                   \
	"create table milestone(ID,TaskID,Time,Kind,What);"                                        \
	"create table tag(ID,TaskID,Time,What);"                                                   \
	"create table \"daisen$segments\"(StartTime,EndTime);"                                     \
	"create table exec_info(Property,Value);"                                                  \
	"create table component_spec(Name,Type,Spec);"                                             \
	"create table port(Component,Port,Connection);"                                            \
	"create table source(Root,Format,Content);"                                                \
	"insert into milestone values(15,14,9000.0,'work','L2.dir'),(17,14,4000.0,'queue','L2.q');" \
	"insert into tag values(16,14,9000.0,'write-hit'),(18,99,1.0,'lost');"                     \
	"insert into \"daisen$segments\" values(0.0,20000.0);"                                     \
	"insert into exec_info values('Command','sim');"                                           \
	"insert into component_spec values('L2','cache','{\"ways\":16}');"                         \
	"insert into port values('L2','L2.Top','bus'),('L2','L2.Ctrl','');"                        \
	"insert into source values('/','base64','AAAA');"

const char sql_a[] =
    "create table trace(task_id varchar(200) null unique, parent_id varchar(200) null,"
    " kind varchar(100) null, what varchar(100) null, location varchar(100) null,"
    " start_time float null, end_time float null);"
    "insert into trace values('7@L1','7_req_out','req_in','*mem.ReadReq','L1',3e-09,9e-09),"
    "('7_req_out','w1','req_out','*mem.ReadReq','CU[0]',2e-09,1e-08),"
    "('w1','','wavefront','wavefront','CU[0]',1e-09,1.2e-08);";
const char sql_b0[] = TASKS_B
    "create table trace_milestones(ID,TaskID,BlockingCategory,BlockingReason,BlockingLocation);";
const char sql_b1[] = TASKS_B
    "create table trace_milestones(ID,TaskID,Time,Kind,What,Location);"
    "insert into trace_milestones values('90','7@L1',4e-09,'queue','L1.q','L1');";
const char sql_b2[] = TASKS_B
    "create table milestone(ID,TaskID,Time,Kind,What,Location);"
    "insert into milestone values('91','7@L1',8e-09,'network_busy','L1.TopPort','L1'),"
    "('90','7@L1',4e-09,'hardware_resource','L1.MSHR','L1'),"
    "('92','7@L1',2e-09,'network_transfer','','L1.TopPort');"
    "create table \"daisen$segments\"(StartTime,EndTime);"
    "insert into \"daisen$segments\" values(1.1e-08,2e-08),(0,1e-08);"
    "create table mgpusim_metrics(Location,What,Value,Unit);"
    "insert into mgpusim_metrics values('CP','kernel_time',9.5e-06,'second');";
const char sql_d1[] =
    "create table trace(ID,ParentID,Kind,What,Location,StartTime,EndTime);"
    "insert into trace values(14,2,'req_in','WriteReq','L2',2000.0,31000.0);" TABLES_D;
const char sql_d2[] =
    "create table trace(ID,ParentID,Kind,What,Location,StartTime,EndTime);"
    "create index idx_trace_StartTime on trace(StartTime);"
    "create table location(ID,Locale);"
    "insert into location values(7,'L2.req_out'),(1,'L2.req_in');"
    "insert into trace values(14,2,'req_in','WriteReq',1,2000.0,31000.0),"
    "(2,0,'req_out','WriteReq',7,1000.0,32000.0);" TABLES_D;
const char sql_d3[] =
    "create table trace(ID,ParentID,Kind,What,Location,StartTime,EndTime);"
    "create table location(ID,Locale);"
    "insert into location values(7,'L2.req_out'),(1,'L2.req_in');"
    "insert into trace values(14,2,'req_in','WriteReq',1,2000.0,31000.0),"
    "(2,0,'req_out','WriteReq',7,1000.0,32000.0);" TABLES_D;
const char csv_text[] =
    "ID, ParentID, Kind, What, Where, Start, End\n"
    "7@L1, 7_req_out, req_in, *mem.ReadReq, L1, 0.0000000030, 0.0000000090\n"
    "7_req_out, w1, req_out, *mem.ReadReq, CU[0], 0.0000000020, 0.0000000100\n"
    "w1, , wavefront, wavefront, CU[0], 0.0000000010, 0.0000000120\n";

/* ---- files ---- */

static char folder[64], cache[96];

static void empty(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char path[512];

	while (d && (e = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		unlink(path);
	}
	if (d)
		closedir(d);
	rmdir(dir);
}

int tasks_folder_new(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/pipeglass-tasks-XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(cache, sizeof(cache), "%s/cache", folder);
	return 0;
}

int tasks_folder_free(void **state)
{
	(void)state;
	empty(cache);
	empty(folder);
	return 0;
}

const char *tasks_folder(void)
{
	return folder;
}

const char *tasks_cache(void)
{
	return cache;
}

const char *tasks_path(const char *name)
{
	static char paths[4][256];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

const char *tasks_text(const char *name, const char *text, size_t len)
{
	const char *path = tasks_path(name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	close(fd);
	return path;
}

int tasks_files(const char *dir, const char *part)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int n = 0;

	while (d && (e = readdir(d)))
		n += e->d_name[0] != '.' && strstr(e->d_name, part) != NULL;
	if (d)
		closedir(d);
	return n;
}

#ifdef HAVE_SQLITE

const char *tasks_database(const char *name, const char *sql)
{
	const char *path = tasks_path(name);
	char *why = NULL;
	sqlite3 *db;

	unlink(path);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
		fail_msg("%s", why);
	sqlite3_close(db);
	return path;
}

#endif

/* ---- opening ---- */

static enum status open_path(struct trace **t, const char *path, bool cached, struct error *e)
{
	struct trace_options options = {.no_cache = !cached, .cache_dir = cache};
	struct source *source;
	enum status status = source_open(&source, path, e);

	return status ? status : trace_open(t, source, &options, e);
}

struct trace *tasks_open(const char *path, bool cached)
{
	struct trace *t;
	struct error e;

	if (open_path(&t, path, cached, &e))
		fail_msg("%s", e.text);
	return t;
}

struct trace *tasks_read(const char *path, bool cached)
{
	struct trace *t = tasks_open(path, cached);
	struct error e;

	if (trace_wait(t, &e))
		fail_msg("%s", e.text);
	return t;
}

const char *tasks_refusal(const char *path)
{
	static struct error e;
	struct trace *t;

	if (open_path(&t, path, false, &e))
		return e.text;
	if (!trace_wait(t, &e))
		fail_msg("%s opens", path);
	trace_close(t);
	return e.text;
}

uint64_t tasks_noted(const struct trace *t, const char *key)
{
	uint64_t count = 0;

	for (size_t i = 0; i < t->kind->note_count(t); i++)
		if (strcmp(t->kind->note(t, i, &count), key) == 0)
			return count;
	fail_msg("no note %s", key);
	return 0;
}
