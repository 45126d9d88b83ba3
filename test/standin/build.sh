#!/bin/bash
# gpudb_cuda.so without a GPU: what it does on the host, over a stand-in for CUDA's runtime and for the kernels.
#
#   test/standin/build.sh INCLUDE FOLDER   CUDA's headers, and where the library goes
#
# Prints TAP.  It is for tests: slower than the CPU device, and as exact.  FAULTS=1: with places that can be made to fail.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
repo=$(cd "$here/../.." && pwd)
include=$1 folder=$2
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT
flags="-O2 -g ${FAULTS:+-DGPUDB_FAULTS} -fPIC -fvisibility=hidden -Wall -Wno-unused-function -ffp-contract=off -fno-strict-aliasing -I$include -I$repo/cuda -I$repo/src"

# compile OBJECT COMMAND...
compile() {
	local object=$1
	shift
	# shellcheck disable=SC2086  # flags are words
	"$@" $flags -c -o "$objects/$object.o" || exit 1
}

for name in $("$here/sources.sh"); do
	compile "$name" g++ -std=c++17 -x c++ "$repo"/cuda/*/"$name.cu"
done
for source in "$repo"/src/core/*.c "$repo"/src/core/*/*.c; do
	compile "core_$(basename "$source" .c)" gcc -std=gnu99 "$source"
done
compile standin_kernels gcc -std=gnu11 "$here/kernels.c"
compile standin_sort gcc -std=gnu11 "$here/kernel_sort.c"
compile standin_runtime g++ -std=c++17 "$here/runtime.cc"
g++ -shared -o "$folder/gpudb_cuda.so" "$objects"/*.o -lm || exit 1
echo "ok - a library with nothing but the host in it"
echo 1..1
