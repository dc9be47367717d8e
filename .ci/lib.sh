# What .ci/try and .ci/test share: the Debian packages, installing them, configuring a build.
# Both start in any folder and cost seconds when there is nothing to do.
set -eu
cd "$(dirname "$0")/.."

build_packages='autoconf automake gcc libc6-dev libdw-dev liblzma-dev libncurses-dev libpcre2-dev libsqlite3-dev libzstd-dev make pkg-config zlib1g-dev'
test_packages='clang g++ libclang-rt-dev libcmocka-dev libvterm-dev python3 xz-utils'
jobs=$(($(nproc) + 1)) # some tests wait more than they work

say()
{
	printf '== %s\n' "$*"
}

root()
{
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		echo "these need root, and sudo is missing: $*" >&2
		return 1
	fi
}

apt()
{
	root env DEBIAN_FRONTEND=noninteractive apt-get -q "$@"
}

install_missing() # package...
{
	command -v dpkg-query >/dev/null || return 0 # not Debian: configure says what is missing
	missing=
	for package; do
		case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) in
		installed) ;;
		*) missing="$missing $package" ;;
		esac
	done
	[ -n "$missing" ] || return 0
	say "installing$missing"
	# The lists of a fresh machine are empty or old.
	# shellcheck disable=SC2086
	apt install -y --no-install-recommends $missing 2>/dev/null ||
		{ apt update && apt install -y --no-install-recommends $missing; }
}

# A build is configured again when it moved, or its options or the packages changed; what
# configure.ac and Makefile.am change, make sees by itself.
wanted_stamp() # folder, configure option...
{
	printf '%s\n' "$PWD" "$@"
	# shellcheck disable=SC2086
	dpkg-query -W $build_packages $test_packages 2>/dev/null || :
}

configured() # name, configure option...
{
	folder=build/$1
	shift
	if [ -e config.status ]; then
		echo 'this tree was configured in place: run make distclean, then this command again' >&2
		return 1
	fi
	[ -e configure ] && [ -e Makefile.in ] && [ -e config.h.in ] || autoreconf -fi
	stamp=$(wanted_stamp "$folder" "$@")
	if [ "$stamp" != "$(cat "$folder/.configured" 2>/dev/null)" ]; then
		say "configuring $folder $*"
		rm -rf "$folder"
		mkdir -p "$folder"
		(cd "$folder" && ../../configure -q "$@")
		printf '%s\n' "$stamp" >"$folder/.configured"
	fi
}

build() # name, configure option...
{
	configured "$@"
	say "building $folder"
	make -s -C "$folder" -j"$jobs"
}
