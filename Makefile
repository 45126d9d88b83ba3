# gpudb: build, install and test.  `make demo` and `make test` do everything on a bare Debian 12.

MODULE_big = gpudb
EXTENSION = gpudb
DATA = sql/gpudb--1.0.sql
PGFILEDESC = "gpudb - ordinary SQL over ordinary heap tables on the GPU"

# The CPU device's kernels are one source built once per instruction set and chosen at run time.
KERNEL = src/device/cpu_kernel
ifeq ($(shell uname -m),x86_64)
ISAS = v2 v3 v4
else
ISAS = base
endif
KERNEL_OBJS = $(ISAS:%=$(KERNEL)_%.o)

SRCS = $(filter-out $(KERNEL).c,$(wildcard src/*.c src/*/*.c src/*/*/*.c))
OBJS = $(SRCS:.c=.o) $(KERNEL_OBJS)
CORE_OBJS = $(patsubst %.c,%.o,$(wildcard src/core/*.c src/core/*/*.c))
EXTRA_CLEAN = $(KERNEL_OBJS) $(DEPENDENCIES) test/unit/build tmp_check

# No LLVM bitcode: nothing in gpudb gains from being inlined into PostgreSQL's JIT code.
override with_llvm = no
# The compiler writes what each object depends on into a file beside it.  PGXS would name that file by the source's base name alone.
override autodepend = no
PG_CONFIG ?= pg_config
# PostgreSQL 15 leaves PGDLLEXPORT empty, and -fvisibility=hidden would hide even _PG_init.
PG_CPPFLAGS = -MMD -MP -I$(CURDIR)/src -D'PGDLLEXPORT=__attribute__((visibility("default")))'
# FAULTS=1: failures on demand in the GPU process, for tests (src/worker/debug_fault.c).
PG_CPPFLAGS += $(if $(FAULTS),-DGPUDB_FAULTS)
# WITHOUT_RULE=RULE_...: cached tablets are used without one of the rules of docs/tablets.md, to show that a test notices.
PG_CPPFLAGS += $(if $(WITHOUT_RULE),-DGPUDB_WITHOUT_RULE=$(WITHOUT_RULE))
PG_CFLAGS = -std=gnu99 -fvisibility=hidden -ffp-contract=off -Wall -Wextra -Wno-unused-parameter \
	-Wno-sign-compare -Wno-missing-field-initializers -Werror=switch
SHLIB_LINK = -lpthread -lm

# Debian's client package has pgxs.mk without the headers.
PGXS := $(and $(wildcard $(shell $(PG_CONFIG) --includedir-server 2>/dev/null)/postgres.h),$(wildcard $(shell $(PG_CONFIG) --pgxs 2>/dev/null)))
ifneq ($(PGXS),)
include $(PGXS)
else
all install uninstall clean installcheck:
	@echo "gpudb: no PostgreSQL server headers (pg_config, PGXS): run 'make deps' as root, or set PG_CONFIG" >&2; exit 1
endif

# Functions begin at a cache line: a loop's speed must not depend on what the linker puts before it.
KERNEL_FLAGS = -O3 -fno-math-errno -fno-trapping-math -falign-functions=64
ARCH_v2 = -march=x86-64-v2
ARCH_v3 = -march=x86-64-v3
ARCH_v4 = -march=x86-64-v4 -mprefer-vector-width=512
$(KERNEL)_%.o: $(KERNEL).c
	$(CC) $(CFLAGS) $(KERNEL_FLAGS) $(ARCH_$*) -DGPUDB_ISA=$* $(CPPFLAGS) -c -o $@ $<
kernel-flags:	# each instruction set and how the kernel is built for it, for the tests of what it consists of
	@$(foreach isa,$(ISAS),echo $(isa) $(KERNEL_FLAGS) $(ARCH_$(isa));)
.PHONY: kernel-flags

# gpudb_cuda.so, where there is a CUDA toolkit: for every chip since Turing, or for GPUDB_CUDA_ARCH alone (such as 90).
NVCC ?= $(firstword $(shell command -v nvcc) $(wildcard /usr/local/cuda/bin/nvcc))
CUDA_LIB = gpudb_cuda.so
CUDA_OBJS = $(patsubst %.cu,%.o,$(wildcard cuda/*/*.cu))
EXTRA_CLEAN += $(CUDA_OBJS) $(CUDA_LIB)
ifneq ($(and $(PGXS),$(NVCC)),)
ifneq ($(GPUDB_CUDA_ARCH),)
CUDA_CHIPS = $(GPUDB_CUDA_ARCH)
else
CUDA_CHIPS = $(filter 75 80 86 89 90 100 120,$(patsubst sm_%,%,$(shell $(NVCC) --list-gpu-code)))
endif
CUDA_FLAGS = -std=c++17 -O2 -fmad=false -diag-suppress 20011 -Icuda -Isrc -Xcompiler -fPIC,-fvisibility=hidden,-Wall \
	$(foreach chip,$(CUDA_CHIPS),-gencode arch=compute_$(chip),code=sm_$(chip)) \
	-gencode arch=compute_$(lastword $(CUDA_CHIPS)),code=compute_$(lastword $(CUDA_CHIPS)) $(if $(FAULTS),-DGPUDB_FAULTS)
$(CUDA_OBJS): %.o: %.cu Makefile
	$(NVCC) $(CUDA_FLAGS) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<
$(CUDA_LIB): $(CUDA_OBJS) $(CORE_OBJS)
	$(NVCC) -shared -cudart static -Xcompiler -fPIC -o $@ $^
all: $(CUDA_LIB)
install: install-cuda
install-cuda: $(CUDA_LIB) installdirs
	$(INSTALL_SHLIB) $(CUDA_LIB) '$(DESTDIR)$(pkglibdir)/'
uninstall: uninstall-cuda
uninstall-cuda:
	rm -f '$(DESTDIR)$(pkglibdir)/$(CUDA_LIB)'
.PHONY: install-cuda uninstall-cuda
else ifneq ($(PGXS),)
all: no-cuda
no-cuda:
	@echo "gpudb: no CUDA toolkit (nvcc): building without gpudb_cuda.so, so queries will run on the CPU device"
.PHONY: no-cuda
endif

# Rebuild an object when a header changes that it was compiled with, and all of them when the flags here may have changed.
$(OBJS): Makefile
DEPENDENCIES = $(OBJS:.o=.d) $(CUDA_OBJS:.o=.d) $(patsubst %.c,%.d,$(wildcard test/provider/*.c))
-include $(wildcard $(DEPENDENCIES))
$(DEPENDENCIES): ;

# The CPU provider, which stands in for a GPU in tests: a library that only `make test` installs.
TEST_PROVIDER = gpudb_provider_cpu.so
TEST_PROVIDER_OBJS = $(patsubst %.c,%.o,$(wildcard test/provider/*.c))
EXTRA_CLEAN += $(TEST_PROVIDER_OBJS) $(TEST_PROVIDER)
ifneq ($(PGXS),)
$(TEST_PROVIDER_OBJS): Makefile
$(TEST_PROVIDER): $(TEST_PROVIDER_OBJS) $(CORE_OBJS) src/device/cpu_isa.o src/device/memory_rates.o $(KERNEL_OBJS)
	$(CC) $(CFLAGS) $(LDFLAGS) $(LDFLAGS_SL) -shared -o $@ $^ $(SHLIB_LINK)
install-test-provider: $(TEST_PROVIDER) installdirs
	$(INSTALL_SHLIB) $(TEST_PROVIDER) '$(DESTDIR)$(pkglibdir)/'
.PHONY: install-test-provider
endif

# What follows works without PGXS, too: it installs what is missing and calls make again.
SUITES = lint unit cuda regress isolation tap pgtap diff channel standin demo
TEST_CHIP = $(or $(GPUDB_CUDA_ARCH),$(subst .,,$(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1)),75)
BUILD_AND_INSTALL = echo "building gpudb" && $(MAKE) --no-print-directory -s -j$(shell nproc) all GPUDB_CUDA_ARCH=$(TEST_CHIP) && \
	$(MAKE) --no-print-directory -s install GPUDB_CUDA_ARCH=$(TEST_CHIP)
RUN_TESTS = test/install-deps.sh test && $(BUILD_AND_INSTALL) && $(MAKE) --no-print-directory -s install-test-provider && test/run.sh

deps:		# compiler and PostgreSQL's headers
	test/install-deps.sh build

test:		# everything, on the CPU device
	@$(RUN_TESTS)

test-gpu:	# the suites that run queries, on the GPU
	@GPUDB_DEVICE=gpu; export GPUDB_DEVICE; $(RUN_TESTS) cuda regress isolation tap pgtap diff

$(SUITES:%=test-%):
	@$(RUN_TESTS) $(@:test-%=%)

demo:		# TPC-H at scale factor SF (default 1) with and without gpudb
	@GPUDB_CUDA_ARCH=$(TEST_CHIP) test/demo.sh

bench:		# TPC-H at scale factor SF beside PostgreSQL and DuckDB, and a chart of it
	@test/install-deps.sh bench && $(BUILD_AND_INSTALL) && test/bench/tpch.sh

ifneq ($(PGXS),)
installcheck:	# against the running server that PGHOST and its like name
	mkdir -p tmp_check
	$(pg_regress_installcheck) --dbname=contrib_regression --load-extension=gpudb \
		--schedule=test/regress_schedule --outputdir=tmp_check
endif

.PHONY: deps test test-gpu $(SUITES:%=test-%) demo bench installcheck
