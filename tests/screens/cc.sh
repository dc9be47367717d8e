#!/bin/sh
# pipeglass cc and c++ stand for a compiler: alone, for objects and programs apart, under make and
# CMake, from where they were built. Programs call the runtime at accesses, have it inside, do
# without the compiler's own, and run as ever; where nothing is recorded, mem.h is empty.
set -u
srcdir=$(cd "$srcdir" && pwd) || exit 99
built=${PIPEGLASS%/*}
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
unset PIPEGLASS_CC PIPEGLASS_CXX CFLAGS LDFLAGS MAKEFLAGS MFLAGS PGMEM_FD
failed=0 count=0

fail() # what
{
	echo "FAILED: $1: $(head -5 err)"
	failed=$((failed + 1))
}

works() # what, command...
{
	what=$1
	shift
	count=$((count + 1))
	"$@" >out 2>err </dev/null || fail "$what"
}

refuses() # status, what stderr says in one line, argument...
{
	wanted=$1 says=$2
	shift 2
	count=$((count + 1))
	"$PIPEGLASS" "$@" >out 2>err </dev/null
	status=$?
	[ $status -eq "$wanted" ] && [ "$(wc -l <err)" -eq 1 ] && grep -qF -e "$says" err ||
		fail "$*: status $status, not $wanted with '$says'"
}

# The program has our runtime, not another, and prints 4950.
recordable() # what, program
{
	works "$1: runs" "./$2"
	grep -qx 4950 out || fail "$1: prints 4950"
	nm "$2" | grep -q ' pgmem_trace$' || fail "$1: has the runtime"
	! readelf -d "$2" | grep -q 'NEEDED.*tsan' || fail "$1: has the compiler's own runtime, too"
}

instrumented() # object
{
	nm "$1" | grep -q ' U __tsan_'
}

cat >main.c <<END
#include <pipeglass/mem.h>
#include <stdio.h>
#include <stdlib.h>
int sum(const int *, int);
int main(void)
{
	int *a = malloc(100 * sizeof(*a));

	PGMEM_OBJECT(a, 100 * sizeof(*a), "a");
	TRACE_OFF();
	for (int i = 0; i < 100; i++)
		a[i] = i;
	TRACE_ON();
	printf("%d\n", sum(a, 100));
	PGMEM_GONE(a);
	free(a);
	return 0;
}
END
cat >sum.c <<END
int sum(const int *a, int n)
{
	int all = 0;

	for (int i = 0; i < n; i++)
		all += a[i];
	return all;
}
END
cat >new.cpp <<END
#include <pipeglass/mem.h>
#include <cstdio>
#include <vector>
extern "C" int sum(const int *, int);
int main()
{
	std::vector<int> a(50);
	int *b = new int(2500);

	for (int i = 0; i < 50; i++)
		a[i] = 2 * i;
	std::printf("%d\n", sum(a.data(), 50) + *b);
	delete b;
}
END

works 'one call' "$PIPEGLASS" cc -O1 -fsanitize=thread main.c sum.c -o one
recordable 'one call' one
works 'an object' "$PIPEGLASS" cc -c main.c
works 'another' "$PIPEGLASS" cc -O2 -c sum.c -o sum.o
instrumented main.o || fail 'main.o calls the runtime'
instrumented sum.o || fail 'sum.o calls the runtime'
works 'a program from objects' "$PIPEGLASS" cc main.o sum.o -o apart
recordable 'a program from objects' apart
works 'C++' "$PIPEGLASS" c++ new.cpp sum.o -o new
recordable 'C++' new
echo '-O1 main.c sum.c -o answer' >words
works 'a response file' "$PIPEGLASS" cc @words
recordable 'a response file' answer
works 'standard input' sh -c '"$PIPEGLASS" cc -x c - -x none sum.o -o stdin <main.c' # shown as it is
recordable 'standard input' stdin
works 'make' make -s -f /dev/null CC="$PIPEGLASS cc" CFLAGS=-O1 LDLIBS=sum.c main
recordable 'make' main
works 'a shared object' "$PIPEGLASS" cc -shared -fPIC -Wl,-z,defs sum.c -o libsum.so
instrumented libsum.so || fail 'a shared object calls the runtime'
works 'a program with it' "$PIPEGLASS" cc main.c -L. -lsum -Wl,-rpath,. -o shared
recordable 'a program with it' shared

for option in --version -v -dumpmachine -print-search-dirs; do
	works "$option" "$PIPEGLASS" cc $option
done
for option in -E -S -M -MM -fsyntax-only; do
	works "$option" "$PIPEGLASS" cc $option main.c -o -
	grep -q undefined err && fail "$option links"
done
works '-E' "$PIPEGLASS" cc -E main.c
grep -q 'pgmem_trace(1)' out || fail '-E: the marks are calls'
works 'mem.h where nothing is recorded' $CC -Wall -Wextra -Werror -I"$srcdir/include" main.c sum.c -o plain
works 'it runs' ./plain

refuses 2 'leave out -static' cc -static main.c sum.c
echo '-static' >static
refuses 2 'leave out -static' cc main.c sum.c @static
works 'an object for a static program' "$PIPEGLASS" cc -static -c main.c
export PIPEGLASS_SECURE=1
refuses 1 'PIPEGLASS_SECURE disables cc' cc -c main.c
refuses 1 'PIPEGLASS_SECURE disables c++' c++ --version
unset PIPEGLASS_SECURE
export PIPEGLASS_CC="$scratch/no-compiler -O1"
refuses 1 'set PIPEGLASS_CC to a compiler' cc -c main.c
if command -v clang >/dev/null; then
	PIPEGLASS_CC='clang -O1'
	works 'clang' "$PIPEGLASS" cc -Werror main.c sum.c -o clang
	recordable 'clang' clang
	works 'clang -c' "$PIPEGLASS" cc -Werror -c sum.c -o clang.o
	instrumented clang.o || fail 'clang.o calls the runtime'
	works 'clang -shared' "$PIPEGLASS" cc -Werror -shared -fPIC sum.c -o libsum.so
	recordable 'what clang -shared made' shared
	works 'clang -v' "$PIPEGLASS" cc -v
else
	echo 'skipped: clang is missing'
fi
unset PIPEGLASS_CC

# What is installed, in a folder of our own.
mkdir -p lib/pipeglass
ln -s "$built/libpgmem.a" lib
ln -s "$built/src/libpgmem/pgmem.specs" "$built/src/libpgmem/pgmem.wrap" lib/pipeglass
flags()
{
	PKG_CONFIG_PATH=$built/src/libpgmem pkg-config --define-variable=libdir="$scratch/lib" \
		--define-variable=includedir="$srcdir/include" "$@" pgmem
}
works 'pkg-config' gcc $(flags --cflags) main.c sum.c $(flags --libs) -o package
recordable 'pkg-config' package

if command -v cmake >/dev/null; then
	mkdir cmake
	cat >CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.10)
project(sums C CXX)
find_package(Threads REQUIRED)
include(CheckFunctionExists)
check_function_exists(strndup HAVE_STRNDUP)
check_function_exists(no_such_function HAVE_NO_SUCH_FUNCTION)
if(NOT HAVE_STRNDUP OR HAVE_NO_SUCH_FUNCTION)
	message(FATAL_ERROR "checks fail")
endif()
add_library(sum SHARED sum.c)
add_executable(sums main.c)
target_link_libraries(sums sum Threads::Threads)
END
	works 'CMake' env CC="$PIPEGLASS cc" CXX="$PIPEGLASS c++" cmake -S . -B cmake
	works 'CMake builds' cmake --build cmake
	recordable 'CMake' cmake/sums
else
	echo 'skipped: CMake is missing'
fi
echo "$count checks, $failed failed"
[ "$failed" -eq 0 ]
