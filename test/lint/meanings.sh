#!/bin/bash
# An instruction without a meaning does not compile, neither for the CPU device nor, where there is nvcc, for a GPU.
# The compilers see copies of the sources from which one line was taken, or to which one was added; they make no code.
. "$(dirname "$0")/lib.sh"

kernel=src/device/cpu_kernel.c
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

for_cpu() {
	gcc -std=gnu99 -fsyntax-only -Wall -Werror=switch -DGPUDB_ISA=base -I"$copy/src" "$copy/$kernel"
}
for_gpu() {
	"$nvcc" -std=c++17 -cuda -diag-suppress 20011 -I"$copy/cuda" -I"$copy/src" -o "$copy/out" "$copy/cuda/$1"
}

# complaint COMPILES WHAT COMMAND...: what is wrong if the sources, as they are now, compile or do not
complaint() {
	local compiles=$1 what=$2 said
	shift 2
	if said=$("$@" 2>&1); then
		[ "$compiles" = yes ] || echo "$what: it compiles"
	elif [ "$compiles" = yes ]; then
		echo "$what: $said"
	else
		[[ $said =~ "not handled in switch"|"has no meaning" ]] || echo "$what: $said"
	fi
}

# refused FILE SCRIPT WHAT COMMAND...: what is wrong if they compile once sed's script has changed a file of them
refused() {
	local file=$1 script=$2 what=$3
	shift 3
	rm -rf "$copy/src" "$copy/cuda"
	cp -r src cuda "$copy"
	sed -i "$script" "$copy/$file"
	if cmp -s "$file" "$copy/$file"; then
		echo "$file: '$script' changes nothing"
	else
		complaint no "$what" "$@"
	fi
}

# missed FILE WHAT...: what nvcc does not say has no meaning
missed() {
	local said what
	said=$(for_gpu "$1" 2>&1)
	shift
	for what in "$@"; do
		[[ $said == *"$what has no meaning"* ]] || echo "$what: it compiles"
	done
}

cp -r src cuda "$copy"
added='$a OPCODE(ADDED, STRICT2, I, I, I, 2, DONE, "d = nothing")'
check "meanings: on a CPU" < <(
	complaint yes "the sources as they are" for_cpu
	refused src/core/vm/opcodes.def "$added" "an opcode in no list" for_cpu
	refused src/core/vm/op_cold.def '/^COLD(BITAND_I,/d' "an opcode of op_cold.def" for_cpu
	refused src/core/vm/interp.h '/case VMOP_ADD_I4:/d' "an opcode of vm_run_tile()" for_cpu
	refused src/core/vm/interp_totals.h 's/case VMOP_SUM_W:/case VMOP_SUM_I + 1000:/' "a total" for_cpu
	refused src/core/vm/interp_totals.h '/TOTAL(EXACT,/d' "a total that goes lane by lane" for_cpu
	refused src/core/vm/interp_joins.h '/case VMOP_FETCH_W:/d' "an opcode of joins" for_cpu
)
nvcc=$(find_nvcc)
if [ -z "$nvcc" ]; then
	skip "meanings: on a GPU" "no nvcc"
	finish
fi
rm -rf "$copy/src" "$copy/cuda"
cp -r src cuda "$copy"
sed -i '/LABEL(VMOP_MAX_I_G):/d' "$copy/cuda/block/parts.cuh"
sed -i '/LABEL(VMOP_FETCH_W):/d' "$copy/cuda/block/joins.cuh"
sed -i '/LABEL(VMX_LOAD_I16): load/d; /LABEL(VMX_AND): COMBINE/d; /LABEL(VMX_RANGE_U16):/d' "$copy/cuda/kernels/kernel_vm_fast.cuh"
sed -i '/LABEL(VMX_KEEP):/d' "$copy/cuda/block/fast_joins.cuh"
check "meanings: on a GPU" < <(
	missed kernels/kernel_vm_general.cu "a total of op_units.h" "an opcode of JOIN_OPS"
	missed kernels/kernel_vm_fast.cu "a load" "what reads a column in a frame-of-reference encoding" "what works on bools" "an instruction of joins"
	sed -i 's/^VMX(FLOAT_KEY,/VMX(ADDED, "nothing")\n&/' "$copy/cuda/lower/vm_ops.def"
	missed kernels/kernel_vm_fast.cu "an instruction of vm_ops.def"
)
finish
