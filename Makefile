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

SRCS = $(filter-out $(KERNEL).c,$(wildcard src/*.c src/*/*.c))
OBJS = $(SRCS:.c=.o) $(KERNEL_OBJS)
EXTRA_CLEAN = $(KERNEL_OBJS) test/unit/build tmp_check

# No LLVM bitcode: nothing in gpudb gains from being inlined into PostgreSQL's JIT code.
override with_llvm = no
PG_CONFIG ?= pg_config
# PostgreSQL 15 leaves PGDLLEXPORT empty, and -fvisibility=hidden would hide even _PG_init.
PG_CPPFLAGS = -I$(CURDIR)/src -D'PGDLLEXPORT=__attribute__((visibility("default")))'
PG_CFLAGS = -std=gnu99 -fvisibility=hidden -ffp-contract=off -Wall -Wextra -Wno-unused-parameter \
	-Wno-sign-compare -Wno-missing-field-initializers -Werror=switch
SHLIB_LINK = -lpthread -lm

PGXS := $(wildcard $(shell $(PG_CONFIG) --pgxs 2>/dev/null))
ifneq ($(PGXS),)
include $(PGXS)
else
all install uninstall clean installcheck:
	@echo "gpudb: no PostgreSQL server headers (pg_config, PGXS): run 'make deps' as root, or set PG_CONFIG" >&2; exit 1
endif

KERNEL_FLAGS = -O3 -fno-math-errno -fno-trapping-math
$(KERNEL)_base.o: ARCH_FLAGS =
$(KERNEL)_v2.o: ARCH_FLAGS = -march=x86-64-v2
$(KERNEL)_v3.o: ARCH_FLAGS = -march=x86-64-v3
$(KERNEL)_v4.o: ARCH_FLAGS = -march=x86-64-v4 -mprefer-vector-width=512
$(KERNEL)_%.o: $(KERNEL).c
	$(CC) $(CFLAGS) $(KERNEL_FLAGS) $(ARCH_FLAGS) -DGPUDB_ISA=$* $(CPPFLAGS) -c -o $@ $<

# Rebuild on any change of a header or of the flags here: PGXS tracks no dependencies of an extension by itself.
HEADERS = $(wildcard src/*.h src/*/*.h src/*/*.def)
$(OBJS): $(HEADERS) Makefile

# What follows works without PGXS, too: it installs what is missing and calls make again.
SUITES = lint unit cuda regress isolation tap pgtap diff
RUN_TESTS = test/install-deps.sh test && \
	echo "building gpudb" && $(MAKE) --no-print-directory -s -j$(shell nproc) all && \
	$(MAKE) --no-print-directory -s install && \
	test/run.sh

deps:		# compiler and PostgreSQL's headers
	test/install-deps.sh build

test:		# everything, on the CPU device
	@$(RUN_TESTS)

test-gpu:	# the suites that run queries, on the GPU
	@GPUDB_DEVICE=gpu; export GPUDB_DEVICE; $(RUN_TESTS) cuda regress isolation tap pgtap diff

$(SUITES:%=test-%):
	@$(RUN_TESTS) $(@:test-%=%)

demo:		# TPC-H at scale factor SF (default 1) with and without gpudb
	@test/demo.sh

ifneq ($(PGXS),)
installcheck:	# against the running server that PGHOST and its like name
	mkdir -p tmp_check
	$(pg_regress_installcheck) --dbname=contrib_regression --load-extension=gpudb \
		--schedule=test/regress_schedule --outputdir=tmp_check
endif

.PHONY: deps test test-gpu $(SUITES:%=test-%) demo installcheck
