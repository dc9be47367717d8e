#!/bin/sh
# However a recorded program ends, or starts others, the trace is whole up to there, and one line says
# what happened. Objects end with their memory.
set -u
srcdir=$(cd "$srcdir" && pwd) || exit 99
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
unset PIPEGLASS_CC PIPEGLASS_CXX
failed=0 count=0

fail() # what
{
	echo "FAILED: $1: $(head -5 err)"
	failed=$((failed + 1))
}

cat >ends.c <<END
#include <pipeglass/mem.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int shared[64];
static const char *way;

static int is(const char *what)
{
	return strcmp(way, what) == 0;
}

static void work(void)
{
	for (int i = 0; i < 64; i++)
		shared[i]++;
}

static void *thread(void *first)
{
	work();
	if (is("exit") && !first)
		exit(5);
	while (is("alarm"))
		shared[0]++;
	if (is("handler"))
		pause();
	return NULL;
}

static void handle(int signal)
{
	(void)signal;
	_exit(7);
}

static void start(void)
{
	int status = 0;
	pid_t child;

	if (is("fork") && (child = fork()) == 0) {
		work();
		exit(4);
	}
	if (is("vfork") && (child = vfork()) == 0) {
		execl("/bin/sh", "sh", "-c", "exit 4", (char *)NULL);
		_exit(1);
	}
	if (is("system"))
		status = system("exit \${PGMEM_FD-4}");
	else if (is("fork") || is("vfork"))
		waitpid(child, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status))
		printf("%d\n", WEXITSTATUS(status));
}

int main(int argc, char **argv)
{
	pthread_t one, other;
	int *a = malloc(80), *b;

	way = argv[argc - 1];
	PGMEM_OBJECT(a, 40, "left");
	PGMEM_OBJECT(a + 10, 40, "right");
	free(a);
	b = malloc(80);
	b[0] = 1;
	work();
	if (is("handler"))
		signal(SIGTERM, handle);
	pthread_create(&one, NULL, thread, NULL);
	pthread_create(&other, NULL, thread, &one);
	start();
	if (is("alarm"))
		ualarm(50000, 0);
	if (is("exec"))
		execle("/bin/sh", "sh", "-c", "exit \$N", (char *)NULL, (char *[]){"N=9", NULL});
	if (is("abort"))
		abort();
	if (is("segv"))
		*(volatile int *)8 = 0;
	if (is("kill"))
		pthread_kill(one, SIGUSR1);
	if (is("handler") || is("end"))
		kill(getpid(), is("end") ? SIGKILL : SIGTERM);
	if (is("_exit"))
		_exit(6);
	if (is("last"))
		pthread_exit(NULL);
	pthread_join(one, NULL);
	pthread_join(other, NULL);
	free(b);
	return 0;
}
END
"$PIPEGLASS" cc -O1 ends.c -o ends || exit 1

# way, exit status, what the program prints, what standard error says, -- or that it says nothing but the summary
ends()
{
	way=$1 wanted=$2 prints=$3 says=$4
	count=$((count + 1))
	rm -f ends.trace*
	timeout -k 5 20 "$PIPEGLASS" record -o ends.trace -- ./ends "$way" >out 2>err </dev/null
	status=$?
	[ $status -eq "$wanted" ] || fail "$way: status $status, not $wanted"
	[ "$(cat out)" = "$prints" ] || fail "$way: prints $(cat out)"
	if [ -n "$says" ]; then
		grep -qF -e "$says" err && [ "$(wc -l <err)" -eq 2 ] || fail "$way: not 2 lines, one with '$says'"
	else
		[ "$(wc -l <err)" -eq 1 ] || fail "$way: not the summary alone"
	fi
	"$PIPEGLASS" info --json --config=none --no-cache ends.trace >info 2>err || fail "$way: no trace"
	grep -q '"warning_count":0' info || fail "$way: warnings: $(grep -o '"warnings.*' info)"
	grep -q '^R' ends.trace || fail "$way: empty"
}

ends return 0 '' ''
[ "$(grep -c '^c \(left\|right\) ' ends.trace)/$(grep -c '^d ' ends.trace)" = 2/4 ] || fail 'ends of objects'
cp ends.trace whole.trace
ends exit 5 '' 'ended with status 5'
ends _exit 6 '' 'ended with status 6'
ends last 0 '' ''
ends fork 0 4 'what fork() makes is not recorded'
ends vfork 0 4 ''
cmp -s ends.trace whole.trace || fail 'vfork: the parent is recorded as without'
ends system 0 4 ''
ends exec 9 '' 'became another one (exec)'
ends abort 134 '' 'ended by signal 6'
ends segv 139 '' 'ended by signal 11'
ends kill 138 '' 'ended by signal 10'
ends alarm 142 '' 'ended by signal 14'
ends handler 7 '' 'ended with status 7'
ends end 137 '' 'ended by signal 9'

# A runtime of another version: the library, one number changed.
count=$((count + 1))
mkdir simulator
sed 's/\(SIM_RECORDS_VERSION\) [0-9]*$/\1 99/' "$srcdir/src/simulator/simulator.h" >simulator/simulator.h
${CC:-cc} -iquote . -I"${PIPEGLASS%/*}" -I"$srcdir/src" -c "$srcdir/src/libpgmem/stream.c" 2>err &&
	"$PIPEGLASS" cc -O1 ends.c stream.o -o other 2>err || fail 'another version is not built'
"$PIPEGLASS" record -- ./other return 2>err >out
[ $? -eq 1 ] && grep -q 'its runtime is not that of this pipeglass' err || fail 'another version'
[ ! -e other.trace ] || fail 'another version: a trace'
echo "$count ways, $failed failed"
[ "$failed" -eq 0 ]
