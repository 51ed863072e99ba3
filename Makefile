# vrun: build, tests, demo. `make help` lists the targets.
#
# Knobs: B=build  CC=gcc|clang  WERROR=1  SAN=address,undefined  V=1
#        PREFIX=/usr/local  DESTDIR=
# Everything that is built lands under $(B); the guest image under $(GUEST).

B      ?= build
CC     := $(if $(filter default,$(origin CC)),gcc,$(CC))
PREFIX ?= /usr/local
GUEST  ?= build/guest
Q      := $(if $(V),,@)
PKG_CONFIG ?= pkg-config
VERSION := 0.1.0

MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

# --- flags -------------------------------------------------------------

WARN := -Wall -Wextra -Wshadow -Wundef -Wvla -Wcast-qual -Wpointer-arith \
	-Wwrite-strings -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 \
	-Wimplicit-fallthrough -Wswitch-enum -Wdouble-promotion -Wconversion \
	-Wno-sign-conversion
ifneq ($(findstring clang,$(CC)),)
# clang takes NAN and INFINITY, float constants, for promotions; gcc sees the
# real ones.
WARN += -Wcomma -Wconditional-uninitialized -Wno-double-promotion
else
WARN += -Wlogical-op -Wduplicated-cond -Wduplicated-branches
endif

# nettle: SHA-256 for the plan's id and for files (base/sha256).
PKGS       := yaml-0.1 gsl jansson nettle libssh
AGENT_PKGS := liburing jansson
# Only ask pkg-config for what is there: `make deps` and `make clean` must
# work before anything is installed.
pkg = $(shell $(PKG_CONFIG) $(1) 2>/dev/null)

OPT      ?= -O2 -g
CPPFLAGS += -D_GNU_SOURCE -I. -DVRUN_VERSION='"$(VERSION)"'
CPPFLAGS += $(if $(SAN),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
CFLAGS   += -std=gnu17 $(OPT) $(WARN) -fstack-protector-strong -fno-common
CFLAGS   += $(if $(WERROR),-Werror) -MMD -MP
CFLAGS   += $(call pkg,--cflags $(PKGS) liburing)
SANFLAGS := $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all)
CFLAGS   += $(SANFLAGS)
LDFLAGS  += $(SANFLAGS)
LIBS       = $(call pkg,--libs $(PKGS) liburing) -lm
AGENT_LIBS = $(call pkg,--static --libs $(AGENT_PKGS)) -lm
# A sanitizer cannot be linked statically; such an agent serves hosts only.
AGENT_LDFLAGS := $(if $(SAN),,-static)

# --- sources -----------------------------------------------------------

MAINS := runner/main.c runner/agent/main.c
LIBSRC := $(filter-out $(MAINS),$(wildcard runner/*/*.c analysis/*.c))
UNIT  := $(wildcard tests/unit/test_*.c)
TOOLS := $(wildcard tests/tools/*.c)
FUZZ  := $(wildcard tests/fuzz/fuzz_*.c)

obj = $(patsubst %.c,$(B)/obj/%.o,$(1))
LIBOBJ := $(call obj,$(LIBSRC))
UNITBIN := $(patsubst tests/unit/%.c,$(B)/tests/%,$(UNIT))
TOOLBIN := $(patsubst tests/tools/%.c,$(B)/tests/%,$(TOOLS))
FUZZBIN := $(patsubst tests/fuzz/%.c,$(B)/fuzz/%,$(FUZZ))
REPLAYBIN := $(patsubst tests/fuzz/%.c,$(B)/fuzz/replay_%,$(FUZZ))

say = $(if $(V),,@printf '  %-5s %s\n' $(1) $(2))

.PHONY: all help
all: $(B)/vrun $(B)/vrun-agent

help:
	@echo 'make demo      install what is missing, build, make the guest, run the main job'
	@echo 'make check     the same for the tests; runs them all'
	@echo 'make all       vrun and vrun-agent, under $$(B) (build/)'
	@echo 'make agent-aarch64  (or agent-x86_64) the agent for other hosts'
	@echo 'make guest     the built-in guest image; KERNEL=... MODULES=... for another kernel'
	@echo 'make unit      the unit tests alone, with sanitizers; also: make valgrind'
	@echo 'make lint      layers, headers, format, tidy, shellcheck'
	@echo 'make fuzz      every fuzzer for FUZZ_SECONDS (30)'
	@echo 'make bench     measurements, as ratios; see tests/bench/README.md'
	@echo 'make calibration  how often reports are right, by simulation'
	@echo 'make deps      install the Debian packages that are missing'
	@echo 'make install   PREFIX=/usr/local DESTDIR='
	@echo 'make clean'

$(B)/obj/%.o: %.c
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -c $< -o $@

$(B)/libvrun.a: $(LIBOBJ)
	$(call say,AR,$@)
	@rm -f $@
	$(Q)ar rcs $@ $^

$(B)/vrun: $(B)/obj/runner/main.o $(B)/libvrun.a
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) $^ $(LIBS) -o $@

$(B)/vrun-agent: $(B)/obj/runner/agent/main.o $(B)/libvrun.a
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) $(AGENT_LDFLAGS) $^ $(AGENT_LIBS) -o $@

# For hosts of another architecture than this machine's, where Debian's cross
# compiler and that architecture's libraries are installed.
AGENT_LAYERS := base record proto tool agent
CROSS_PACKAGES = gcc-$(1)-linux-gnu $(addsuffix :$(2),libc6-dev libjansson-dev liburing-dev)
.PHONY: agent-aarch64 agent-x86_64
agent-aarch64: DEBIAN := arm64
agent-x86_64: DEBIAN := amd64
agent-aarch64 agent-x86_64: agent-%:
	@command -v $*-linux-gnu-gcc >/dev/null || { \
		echo 'no $*-linux-gnu-gcc here; as root:' \
		'dpkg --add-architecture $(DEBIAN); apt-get update;' \
		'apt-get install $(call CROSS_PACKAGES,$(subst _,-,$*),$(DEBIAN))'; \
		exit 1; }
	+@$(MAKE) --no-print-directory B=$(B)/$* SAN= \
		CC=$*-linux-gnu-gcc $(B)/$*/vrun-agent-static
	@cp $(B)/$*/vrun-agent-static $(B)/vrun-agent-$*

$(B)/libagent.a: $(call obj,$(filter $(AGENT_LAYERS:%=runner/%/%.c),$(LIBSRC)))
	$(call say,AR,$@)
	@rm -f $@
	$(Q)ar rcs $@ $^

$(B)/vrun-agent-static: $(B)/obj/runner/agent/main.o $(B)/libagent.a
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) -static $^ $(AGENT_LIBS) -o $@

$(B)/tests/%: $(B)/obj/tests/unit/%.o $(B)/libvrun.a
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $^ $(LIBS) -lcmocka -o $@

$(B)/tests/%: $(B)/obj/tests/tools/%.o $(B)/libvrun.a
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $^ $(LIBS) -o $@

# A wall clock that a test sets, for programs that are linked dynamically, which
# the agent is not by itself.
$(B)/tests/fake_clock.so: tests/fake/clock.c
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(filter-out -fsanitize=%,$(CFLAGS)) -shared -fPIC $< -o $@

$(B)/tests/dynamic/vrun-agent: $(B)/obj/runner/agent/main.o $(B)/libvrun.a
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $^ $(LIBS) -o $@

.SECONDARY:
-include $(patsubst %.o,%.d,$(LIBOBJ) $(call obj,$(MAINS) $(UNIT) $(TOOLS) $(FUZZ)))

# --- packages and the guest image --------------------------------------

# Debian's names; CHECK_DEPS are for the tests alone.
DEPS := gcc libc6-dev make pkg-config libyaml-dev libgsl-dev libjansson-dev \
	nettle-dev liburing-dev qemu-system-x86 seabios fio busybox-static \
	cpio kmod xz-utils zstd libssh-dev openssh-client
CHECK_DEPS := libcmocka-dev clang libclang-rt-dev clang-format clang-tidy \
	valgrind shellcheck strace procps openssh-server iproute2 chromium \
	chromium-driver curl jq texlive-latex-recommended

.PHONY: deps check-deps guest FORCE
deps:
	@runner/guest/deps.sh $(DEPS)
check-deps:
	@runner/guest/deps.sh $(DEPS) $(CHECK_DEPS)

# The agent in the guest must be static, which one with sanitizers is not.
ifdef SAN
GUEST_AGENT := $(B)/static/vrun-agent
$(GUEST_AGENT): FORCE
	@$(MAKE) --no-print-directory B=$(B)/static SAN= $@
else
GUEST_AGENT := $(B)/vrun-agent
endif
guest: $(GUEST_AGENT)
	$(Q)KERNEL='$(KERNEL)' MODULES='$(MODULES)' \
		runner/guest/build.sh $(GUEST) $<

# --- demo and installation ---------------------------------------------

# Sub-makes, one after the other: what deps installs, the next one finds.
# They use every CPU unless -j says how many.
PARALLEL = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))
.PHONY: demo install uninstall
demo:
	@$(MAKE) --no-print-directory deps
	@$(MAKE) --no-print-directory $(PARALLEL) all guest
	$(B)/vrun matrices/hugetlb.yaml

DOCS := $(B)/doc/vrun.1 $(B)/doc/vrun.bash $(B)/doc/_vrun
$(B)/doc/vrun.1: TOPIC := man
$(B)/doc/vrun.bash: TOPIC := bash
$(B)/doc/_vrun: TOPIC := zsh
$(DOCS): $(B)/vrun
	@mkdir -p $(@D)
	$(Q)$(B)/vrun help $(TOPIC) > $@

DEST := $(DESTDIR)$(PREFIX)
HOOKS := $(filter-out %.md,$(wildcard hooks/*))
install: all $(DOCS)
	install -D -m 755 $(B)/vrun $(DEST)/bin/vrun
	install -D -m 755 $(B)/vrun-agent $(DEST)/libexec/vrun/vrun-agent
	$(foreach a,$(wildcard $(B)/vrun-agent-*),install -m 755 $(a) $(DEST)/libexec/vrun/$(notdir $(a)) &&) :
	install -D -m 644 $(B)/doc/vrun.1 $(DEST)/share/man/man1/vrun.1
	install -D -m 644 $(B)/doc/vrun.bash $(DEST)/share/bash-completion/completions/vrun
	install -D -m 644 $(B)/doc/_vrun $(DEST)/share/zsh/site-functions/_vrun
	install -d $(DEST)/share/vrun/matrices
	install -m 644 matrices/*.yaml $(DEST)/share/vrun/matrices
	install -d $(DEST)/share/vrun/hooks
	install -m 755 $(HOOKS) $(DEST)/share/vrun/hooks
	$(if $(wildcard $(GUEST)/initrd),install -d $(DEST)/share/vrun/guest && install -m 644 $(wildcard $(GUEST)/*) $(DEST)/share/vrun/guest)

uninstall:
	rm -rf $(DEST)/bin/vrun $(DEST)/libexec/vrun $(DEST)/share/vrun \
		$(DEST)/share/man/man1/vrun.1 \
		$(DEST)/share/bash-completion/completions/vrun \
		$(DEST)/share/zsh/site-functions/_vrun

# --- tests: see tests/README.md ----------------------------------------

# A fuzzer, and the same function as a program that replays files.
$(B)/fuzz/%: $(B)/obj/tests/fuzz/%.o $(B)/libvrun.a
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -fsanitize=fuzzer $^ $(LIBS) -o $@

$(B)/fuzz/replay_%: $(B)/obj/tests/fuzz/%.o $(B)/obj/tests/fuzz/replay.o $(B)/libvrun.a
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $^ $(LIBS) -o $@

SAN_B  := $(B)/san
FUZZ_B := $(B)/fuzzers
FUZZ_SECONDS ?= 30
SUBMAKE = $(MAKE) --no-print-directory
SANMAKE = $(SUBMAKE) B=$(SAN_B) SAN=address,undefined OPT='-O1 -g'
FUZZMAKE = $(SUBMAKE) B=$(FUZZ_B) CC=clang OPT='-O1 -g' \
	SAN=fuzzer-no-link,address,undefined

.PHONY: unit unit-programs tools replayers fuzzers clang-programs
.PHONY: check check-programs
.PHONY: lint fuzz valgrind clean
unit-programs: $(UNITBIN)
tools: $(TOOLBIN) $(B)/tests/fake_clock.so $(B)/tests/dynamic/vrun-agent
replayers: $(REPLAYBIN)
fuzzers: $(FUZZBIN)
# All of it by clang, where the fuzzers are.
clang-programs:
	+@$(FUZZMAKE) all tools unit-programs replayers fuzzers

unit:
	+@$(SANMAKE) unit-programs
	@B=$(B) tests/run.sh unit

check:
	+@$(SUBMAKE) check-deps
	+@$(SUBMAKE) $(PARALLEL) check-programs
	@B=$(B) GUEST=$(GUEST) tests/run.sh

check-programs:
	+@$(SUBMAKE) all guest tools
	+@$(SANMAKE) all tools unit-programs replayers

valgrind: unit-programs
	@B=$(B) tests/run.sh valgrind

fuzz:
	+@$(FUZZMAKE) fuzzers
	@B=$(FUZZ_B) tests/fuzz/run.sh $(FUZZ_SECONDS)

# T_IO_URING=/path/to/t/io_uring compares with fio's own peak tool, too. What
# cannot be measured here says so and is no failure.
.PHONY: bench
bench: all guest tools
	@failed=0; for b in generator icount-guest analysis \
		transport hosts; do \
		B=$(B) GUEST=$(GUEST) tests/bench/$$b.sh; status=$$?; \
		[ $$status -eq 0 ] || [ $$status -eq 77 ] || failed=1; \
	done; exit $$failed

# A quarter of an hour, the same on every machine.
.PHONY: calibration
calibration: $(B)/tests/calibrate
	@$<

# The scripts split it at blanks and know no quotes.
lint: export LINT_CFLAGS = $(subst ',,$(CPPFLAGS)) -std=gnu17 $(call pkg,--cflags $(PKGS) liburing)
# What does not compile is for `globals` to say; the other rules go on.
lint:
	-+@$(SUBMAKE) -k all
	@B=$(B) CC='$(CC)' tests/lint/run.sh

clean:
	rm -rf $(B)
