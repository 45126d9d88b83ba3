#!/bin/bash
# Build the kernels, the unit tests that run on a GPU and the kernels' benchmark:  build.sh NVCC ARCH FOLDER
# Prints TAP.  The programs need nothing but NVIDIA's driver.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
repo=$(cd "$here/../../.." && pwd)
nvcc=$1 arch=$2 folder=$3
includes="-I$repo/cuda -I$repo/src -I$repo/test/unit -I$here -I$repo/test/bench/gpu"
# 20011: core/ calls libc's functions in branches that only the host has
cuda="-std=c++17 -arch=sm_$arch -O2 -fmad=false -lineinfo -diag-suppress 20011 $includes"
c="-std=gnu99 -O2 -Wall -ffp-contract=off -fno-strict-aliasing -DGPUDB_TEST_GPU $includes"
# shellcheck disable=SC2206  # a word each
libraries=(-L"$(dirname "$(dirname "$(readlink -f "$nvcc")")")/lib64" -lcudart_static -lpthread -ldl -lrt -lm)

# step NAME COMMAND...: one TAP line, what was said only if it failed
step() {
	local name=$1 said
	shift
	if said=$("$@" 2>&1); then
		echo "ok - $name"
	else
		echo "not ok - $name"
		echo "$said" | sed 's/^/# /'
		exit 1
	fi
}

core=()
for source in "$repo"/src/core/*.c "$repo"/src/core/*/*.c; do
	core+=("$folder/core_$(basename "$source" .c).o")
	# shellcheck disable=SC2086  # flags are words
	gcc $c -c -o "${core[-1]}" "$source" || exit 1
done
for size in small large; do
	core+=("$folder/interpreter_$size.o")
	# shellcheck disable=SC2086
	gcc $c -DTILE="${size^^}_TILE" -DRUN="vm_run_$size" -c -o "${core[-1]}" "$repo/test/unit/interpreter.c" || exit 1
done
kernels=("$folder"/{kernel_vm,kernel_filter,kernel_select,select_form,kernel_vm_fast,kernel_vm_general,vm_lower,vm_translate,vm_totals,vm_slots,vm_fuse}.o)
# shellcheck disable=SC2086
{
	compiling=()
	for name in kernel_vm_fast kernel_filter kernel_vm_general kernel_select select_form kernel_vm vm_lower vm_translate vm_totals vm_slots vm_fuse kernel_combine kernel_deform kernel_groups kernel_top kernel_output kernel_output_columns kernel_sort kernel_seek group_table pool resident; do
		"$nvcc" $cuda -c -o "$folder/$name.o" "$repo"/cuda/*/"$name.cu" >"$folder/$name.log" 2>&1 &
		compiling+=("$!:$name")
	done
	for job in "${compiling[@]}"; do
		wait "${job%%:*}" || cat "$folder/${job##*:}.log"
		step "${job##*:}.cu for sm_$arch" test -s "$folder/${job##*:}.o"
	done
	step "interpreter.cu" "$nvcc" $cuda -c -o "$folder/interpreter.o" "$here/interpreter.cu"
	for name in vm_lanes_test vm_test vm_tallies_test vm_filters_test vm_groups_test join_vm_test; do
		step "$name.c" gcc $c -c -o "$folder/$name.o" "$repo/test/unit/$name.c"
		step "$name" g++ -o "$folder/$name" "$folder/$name.o" "$folder/interpreter.o" "${kernels[@]}" "${core[@]}" "${libraries[@]}"
	done
	step "deformer.cu" "$nvcc" $cuda -c -o "$folder/deformer.o" "$here/deformer.cu"
	step "deform_test.c" gcc $c -c -o "$folder/deform_test.o" "$repo/test/unit/deform_test.c"
	step "deform_test" g++ -o "$folder/deform_test" "$folder/deform_test.o" "$folder/deformer.o" "$folder/kernel_deform.o" \
		"${core[@]}" "${libraries[@]}"
	step "groups_test.cu" "$nvcc" $cuda -c -o "$folder/groups_test.o" "$here/groups_test.cu"
	step "groups_test" g++ -o "$folder/groups_test" "$folder"/{groups_test,kernel_groups,kernel_top,group_table,pool,resident}.o "${core[@]}" "${libraries[@]}"
	step "combine_test.cu" "$nvcc" $cuda -c -o "$folder/combine_test.o" "$here/combine_test.cu"
	step "combine_test" g++ -o "$folder/combine_test" "$folder"/{combine_test,kernel_combine,kernel_groups,kernel_top,group_table,pool,resident}.o "${core[@]}" "${libraries[@]}"
	step "sort_test.cu" "$nvcc" $cuda -c -o "$folder/sort_test.o" "$here/sort_test.cu"
	step "sort_test" g++ -o "$folder/sort_test" "$folder"/{sort_test,kernel_sort}.o "${core[@]}" "${libraries[@]}"
	step "seek_test.cu" "$nvcc" $cuda -c -o "$folder/seek_test.o" "$here/seek_test.cu"
	step "seek_test" g++ -o "$folder/seek_test" "$folder"/{seek_test,kernel_seek}.o "${kernels[@]}" "${core[@]}" "${libraries[@]}"
	step "output_test.cu" "$nvcc" $cuda -c -o "$folder/output_test.o" "$here/output_test.cu"
	step "output_test" g++ -o "$folder/output_test" "$folder"/{output_test,kernel_output,kernel_output_columns}.o "${core[@]}" "${libraries[@]}"
	step "kernel_vm_bench.cu" "$nvcc" $cuda -c -o "$folder/kernel_vm_bench.o" "$repo/test/bench/gpu/kernel_vm_bench.cu"
	step "reference.c" gcc $c -O3 -c -o "$folder/reference.o" "$repo/test/bench/gpu/reference.c"
	step "kernel_vm_bench" g++ -o "$folder/kernel_vm_bench" "$folder/kernel_vm_bench.o" "$folder/reference.o" \
		"$folder/interpreter.o" "${kernels[@]}" "${core[@]}" "${libraries[@]}"
}
echo 1..51
