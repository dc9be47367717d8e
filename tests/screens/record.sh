#!/bin/sh
# Programs from source to a trace: one that is watched, every way to end too early, names of what is in
# memory, and objects elsewhere, with what that gains. What samples/record shows is in capture.sh.
set -u
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
export XDG_CACHE_HOME="$scratch/cache"
unset PIPEGLASS_CC CFLAGS LDFLAGS PGMEM_FD PIPEGLASS_SECURE
failed=0 count=0

command -v ${CC:-cc} >/dev/null || {
	echo 'skipped: no C compiler'
	exit 77
}

fail() # what
{
	echo "FAILED: $1: $(head -5 err)"
	failed=$((failed + 1))
}

# The status of record, and a part of what it says.
records() # status, what stderr has, argument...
{
	wanted=$1 says=$2
	shift 2
	count=$((count + 1))
	"$PIPEGLASS" record "$@" >out 2>err </dev/null
	status=$?
	[ $status -eq "$wanted" ] && grep -qF -e "$says" err ||
		fail "record $*: status $status, not $wanted with '$says'"
}

# A trace can be read, and no line of it is odd.
sound() # trace
{
	count=$((count + 1))
	"$PIPEGLASS" info "$1" >info 2>&1 && grep -q '^warnings  *0$' info || fail "info $1: $(cat info)"
}

has() # what, pattern, file
{
	count=$((count + 1))
	grep -q -e "$2" "$3" || fail "$1: no $2 in $3"
}

build() # program
{
	"$PIPEGLASS" cc -g -O1 "$1.c" -o "$1" >out 2>err || fail "cc $1.c"
}

# ---- what a user chooses badly ----

cat >pair.c <<'END'
#include <pthread.h>
static struct { int left, right; } counts;
static void *count(void *p)
{
	for (int i = 0; i < 100; i++)
		++*(volatile int *)p;
	return p;
}
int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], 0, count, &counts.left);
	pthread_create(&threads[1], 0, count, &counts.right);
	pthread_join(threads[0], 0);
	pthread_join(threads[1], 0);
	return counts.left != 100 || counts.right != 100;
}
END
build pair
records 0 'next: pipeglass pair.trace' -- ./pair
sound pair.trace
cp pair.trace before.trace
records 2 '--live needs a terminal' --live -- ./pair
cmp before.trace pair.trace >err 2>&1 || fail 'no terminal: the trace stays'
records 2 '--live shows one run' --live --pad left=64 -- ./pair
records 2 'use either --pad or --move' --pad left=8 --move left=0x10000 -- ./pair
for bytes in 12 1048584; do
	records 2 'not a multiple of 8 up to 1048576' --pad left=$bytes -- ./pair
done
records 2 'is not NAME=BYTES' --pad left -- ./pair
records 2 'no object is called lift; pipeglass sharing lists them' --pad lift=8 -- ./pair
has 'the run is of use' '^pipeglass: pair.trace: complete, and can be opened; there was no second run' err

# ---- an object that the program names is elsewhere: as it is called there, or in the trace ----

sed 's/^#include <pthread.h>/&\n#include <pipeglass\/mem.h>/
	s/pthread_t threads.*/&\n\tPGMEM_OBJECT(\&counts.left, sizeof(int), "the left");/' pair.c >given.c
build given
for name in 'the left' the_left; do
	records 0 'measured gain' --pad "$name=64" -- ./given
	has "$name" '^bound: false sharing  *[1-9]' err
	has "$name" 'of these for false sharing  *[1-9][0-9 ]*  *0  -100.0 %' err
done

# ---- to be watched: the first half is shown while the program waits for its input ----

cat >paced.c <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
static char data[1 << 19];
int main(int argc, char **argv)
{
	const int input = open(argv[argc - 1], O_RDONLY);
	char c;

	for (int i = 0; i < 1 << 19; i += 64)
		data[i]++;
	while (read(input, &c, 1) > 0)
		continue;
	for (int i = 0; i < 1 << 19; i += 64)
		data[i]++;
	puts("all came in");
	return 3;
}
END
build paced
cat >live.pty <<'END'
size 80 24
fifo go
run record --live --caches thesis -o live.trace -- ./paced go
expect "running"
expect "loads"
idle
keys :view<Space>blocks<Enter>
expect "occupancy"
close go
expect "ended: status 3"
keys oe
expect "all came in"
keys qQ
ends 0
restored
END
if [ -x "${PIPEGLASS%/*}/tests/pty/test_scripts" ]; then
	count=$((count + 1))
	TERM=xterm-256color "${PIPEGLASS%/*}/tests/pty/test_scripts" live.pty >out 2>err || fail "--live: $(cat out)"
	sound live.trace
else
	echo 'skipped: tests/pty/test_scripts is not built'
fi

# ---- what ends too early, or is none ----

cat >early.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int data[256];
static volatile int locked;
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *how)
{
	for (int i = 0; i < 256; i++)
		data[i]++;
	if (!strcmp(how, "exit"))
		exit(7);
	if (!strcmp(how, "crash"))
		raise(SIGSEGV);
	if (!strcmp(how, "lock")) {
		pthread_mutex_lock(&two);
		locked = 1;
		pthread_mutex_lock(&one);
	}
	if (!strcmp(how, "long"))
		for (;;)
			for (int i = 0; i < 256; i += 16)
				data[i]++;
	return how;
}
int main(int argc, char **argv)
{
	pthread_t thread;

	pthread_mutex_lock(&one);
	pthread_create(&thread, NULL, work, argv[argc - 1]);
	while (!strcmp(argv[argc - 1], "lock") && !locked)
		continue;
	if (!strcmp(argv[argc - 1], "lock"))
		pthread_mutex_lock(&two);
	if (!strcmp(argv[argc - 1], "long"))
		for (;;)
			for (int i = 0; i < 256; i += 16)
				data[i + 1]++;
	pthread_join(thread, NULL);
	if (!strcmp(argv[argc - 1], "exec"))
		execl("/bin/true", "true", (char *)0);
	return 3;
}
END
build early

early() # how, status, what stderr has
{
	records "$2" "$3" -- ./early "$1"
	sound early.trace
}

early '' 3 'ended with status 3'
early exit 7 'ended with status 7'
early crash 139 'ended by signal 11'
early lock 125 'waits for mutex'
early exec 0 exec

# A signal for us goes to the program; what was recorded by then is there.
"$PIPEGLASS" record -o cut.trace --pad data=64 -- ./early long >out 2>err &
while [ ! -s cut.trace ]; do :; done
kill -TERM $!
wait $!
[ $? -eq 143 ] || fail 'ended: not the status of the signal'
has 'one run' 'no second run: the first was cut short' err
sound cut.trace

# A disk that is full: whole lines, and the program is ended.
count=$((count + 1))
(
	ulimit -f 8
	exec "$PIPEGLASS" record -o full.trace -- ./early long
) >out 2>err
[ $? -eq 1 ] && grep -q 'full.trace has what was recorded up to here' err || fail 'a full disk'
sound full.trace

records 1 'not built to be recorded' -- /bin/sh -c true

echo '#include <stdlib.h>
int main(void) { int *a = malloc(9); *a = 1; free(a); return 0; }' >linked.c
${CC:-cc} -c linked.c && "$PIPEGLASS" cc linked.o -o linked || fail 'linked alone'
records 0 'nothing was recorded' -o linked.trace -- ./linked
records 1 'no such program' -- no-such-program
records 1 'cannot run ./none' -- ./none
records 1 'No such file' -o none/t.trace -- ./pair
[ ! -c /dev/full ] || records 1 'pipeglass: /dev/full; the program was ended: No space' -o /dev/full -- ./pair
: >empty.model
records 1 'empty.model: this is no model' --caches empty.model -- ./pair
records 2 'no program given'
records 2 "standard output is the program's" -o - -- ./pair
PIPEGLASS_SECURE=1
export PIPEGLASS_SECURE
records 1 'PIPEGLASS_SECURE disables record' -- ./pair
unset PIPEGLASS_SECURE

# Another runtime, and one that says nothing.
cat >strange.c <<'END'
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	static const char record[40] = {'V', [32] = 99};

	return argc < 2 && write(atoi(getenv("PGMEM_FD")), record, sizeof(record)) < 0;
}
END
${CC:-cc} strange.c -o strange 2>err || fail 'cc strange.c'
records 1 'its runtime is not that of this pipeglass' -- ./strange
records 1 'ended with status 0 before anything was recorded' -- ./strange quiet
[ ! -e strange.trace ] || fail 'a trace of nothing'

# ---- names, which libdw gives ----

grep -q 'define HAVE_LIBDW 1' "${PIPEGLASS%/*}/config.h" || {
	echo 'skipped: built without libdw, which gives objects their names'
	echo "$count checks, $failed failed"
	exit $((failed > 0))
}

early lock 125 'waits for mutex two'
cat >named.c <<'END'
#include <pipeglass/mem.h>
#include <stdlib.h>
static struct pool {
	int left[64], right[64];
} *pool;
int main(void)
{
	pool = malloc(sizeof(*pool));
	PGMEM_OBJECT(pool->right, sizeof(pool->right), "sum");
	for (int i = 0; i < 64; i++)
		pool->left[i] = pool->right[i] = i;
	free(pool);
	return 0;
}
END
build named
records 0 'next: pipeglass named.trace' -- ./named
sound named.trace
has 'table of files' '^1 .*/named.c$' named.trace.files
has 'a name given' '^c sum ' named.trace
has 'a member' '^c pool.left ' named.trace
count=$((count + 1))
! grep -q '^c pool.right ' named.trace || fail 'a name given twice'
cp named.trace first.trace
records 0 cycles -- ./named
count=$((count + 1))
cmp first.trace named.trace.old >err 2>&1 || fail 'the trace of before is kept'

# Classes, also of what containers hold, and lines of the program for what is inlined to them.
if command -v ${CXX:-c++} >/dev/null; then
	cat >classes.cpp <<'END'
#include <memory>
#include <vector>
struct Counter { long n[8]; };
static long total;
int main()
{
	std::vector<Counter> all(4);
	static long calls[64];
	Counter *one = new Counter;
	auto two = std::make_unique<Counter>();
	calls[32] += two->n[3]++;
	for (Counter &c : all)
		total += ++c.n[1] + ++one->n[2];
	delete one;
	return total + calls[32] == 0;
}
END
	"$PIPEGLASS" c++ -g -O1 classes.cpp -o classes >out 2>err || fail 'c++ classes.cpp'
	records 0 cycles -- ./classes
	has 'static data' '^c total ' classes.trace
	has 'static data of a function' '^c calls ' classes.trace
	count=$((count + 1))
	[ "$(grep -c '^c Counter ' classes.trace)" -eq 3 ] || fail 'classes of three objects'
else
	echo 'skipped: no C++ compiler'
fi

# ---- objects elsewhere ----

for way in --pad=counts.left=64 --move=counts.left=0x10000000; do
	records 0 'measured gain' "$way" -- ./pair
	name=${way#--} name=pair.${name%%=*}.trace
	sound "$name"
	has "$way" '^c counts.left ' "$name"
	has "$way" 'of these for false sharing  *[1-9][0-9 ]*  *0  -100.0 %' err
	has "$way" "^pipeglass: next: pipeglass compare pair.trace $name" err
done
sed 's/struct { int left, right; } counts/int counts[2]/; s/counts.left/counts[0]/g; s/counts.right/counts[1]/g' pair.c >array.c
build array
records 0 'counts moves as a whole: its elements and members stay adjacent' --pad counts=64 -- ./array
records 0 'counts moves as a whole' --pad counts=64 -- ./pair
has 'a struct' '^inside an object: it stays  *[1-9]' err
records 0 '-100.0 %' -o other.trace --pad left=64 -- ./pair
sound other.trace.pad
cat >many.c <<'END'
#include <stdlib.h>
struct node {
	long n[4];
} *node;
int main(int argc, char **argv)
{
	for (int i = 0; i < 3; i++) {
		node = malloc(sizeof(*node));
		node->n[i] = i;
	}
	if (argc > 1)
		node = malloc(sizeof(*node));
	return argc > 2 && argv[1];
}
END
build many
records 0 'measured gain' --move node=0x10000 -- ./many
records 2 'node is made in 2 places of the program' --move node=0x10000 -- ./many twice
records 2 'a name stands for all that have it' --pad 'node[1]=64' -- ./many

echo "$count checks, $failed failed"
[ $failed -eq 0 ]
