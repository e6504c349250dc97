# The front door. `make` alone lists the targets.
PREFIX ?= /usr/local
DESTDIR ?=

checks := format text prose layers banned exports fuzzers cppcheck tidy headers identical gcc asan tsan \
	valgrind fuzz cli browser bindings slurm
soaks := soak-cli soak-clang soak-tidy soak-asan soak-valgrind soak-fuzz soak-repeat soak-kills soak-faults \
	soak-machine soak-alarms soak-analyzer soak-jvm soak-bindings

package_sets := build check debian image demo oracle bench coverage tags native jvm dist deb wheel amalgamation

.PHONY: help build demo check check-debian check-tools $(checks:%=check-%) oracle coverage tags dist check-dist check-image deb wheel amalgamation bench bench-verdict bench-truth bench-bindings soak \
	$(soaks) suite-jvm reproduce install uninstall format clean $(package_sets:%=packages-%)
.NOTPARALLEL:

help:
	@echo 'make demo           build, and compare real programs whose answer is known'
	@echo 'make build          install missing packages, build into build/'
	@echo 'make install        install into PREFIX ($(PREFIX)), below DESTDIR if set'
	@echo 'make uninstall      remove what make install installed'
	@echo 'make check          run every check and test, as CI does'
	@echo 'make check-debian   run them in Debian 12 and 13, as root and as a user'
	@echo 'make dist           write release archives; make check-dist tries them'
	@echo 'make deb            write Debian packages'
	@echo 'make wheel          write the Python package duet-bench, and try it'
	@echo 'make amalgamation   write the harness as one header'
	@echo 'make oracle         compare the statistics with scipy, arch, R and others'
	@echo 'make coverage       show which lines and branches the tests execute'
	@echo 'make bench          measure the speed and precision that the project promises'
	@echo 'make bench-verdict  measure how often verdicts are right, beside other tools (1 h)'
	@echo 'make bench-truth    measure verdicts on programs of known speed (3 h)'
	@echo 'make bench-bindings measure an iteration of each binding beside C (1 min)'
	@echo 'make soak           run the long tests: Valgrind, fuzzing, faults (hours)'
	@echo 'make suite-jvm      download the programs of suites/jvm.yaml with Maven'
	@echo 'make reproduce      answer the duet paper on this machine (4.5 h, quiet)'
	@echo 'make tags           write tags for editors; build/ has compile_commands.json'
	@echo 'make format         format the sources'
	@echo 'make clean          remove build/ and build-check/'
	@echo
	@echo 'Single checks: $(checks:%=check-%)'
	@echo 'Single soaks:  $(soaks)'

$(package_sets:%=packages-%): packages-%:
	@tools/install-packages $*

build: packages-build
	cmake --preset release
	cmake --build build

demo: packages-demo
	cmake --preset release
	cmake --build build
	tools/demo

check: packages-check
	@tools/check

$(checks:%=check-%): check-%: packages-check
	@tools/check $*

dist: packages-dist
	tools/dist

check-dist: packages-dist
	tools/dist
	tools/check-dist

deb: packages-deb
	tools/deb

wheel: packages-wheel
	tools/wheel --try

amalgamation: packages-amalgamation
	tools/amalgamate

check-image: packages-image
	tools/check-image

check-debian: packages-debian
	for suite in bookworm trixie; do \
		tools/check-debian $$suite && tools/check-debian --user $$suite || exit 1; \
	done

oracle: packages-oracle
	cmake --preset gcc
	cmake --build build-check/gcc
	tests/oracle/prepare_oracles build/oracle
	DUET_BUILD_DIR=build-check/gcc DUET_ORACLE_PYTHON=build/oracle/bin/python \
		/usr/bin/python3 -m pytest -c tests/pytest.ini -s tests/oracle

coverage: packages-coverage
	@tools/check coverage

bench: packages-check
	cmake --preset release
	cmake --build build
	bench/run

bench-verdict: packages-bench
	cmake --preset release
	cmake --build build
	bench/verdict

bench-truth: packages-check
	cmake --preset release
	cmake --build build
	bench/truth

bench-bindings: packages-check
	cmake --preset release
	cmake --build build
	bench/bindings

soak: packages-check packages-jvm
	@tools/check $(soaks)
	@$(MAKE) oracle

soak-jvm: packages-jvm

# DUET_TOOLS, DUET_TOOLS_PYTHON: where tools are that are not on PATH (HACKING.md).
check-tools: packages-check
	@tools/check tools

$(soaks): packages-check
	@tools/check $@

suite-jvm: packages-jvm
	cmake --preset release
	cmake --build build
	cmake --build build --target jvm_suite

# REPRODUCE: options of tools/reproduce.
reproduce: packages-native packages-jvm
	cmake --preset release
	cmake --build build
	cmake --build build --target jvm_suite
	tools/reproduce $(REPRODUCE)

install: packages-build
	cmake --preset release -DCMAKE_INSTALL_PREFIX='$(PREFIX)'
	cmake --build build
	DESTDIR='$(DESTDIR)' cmake --install build
	@# So that programs linked to libduet.so find it; staged installs leave it to the package.
	@if [ -z '$(DESTDIR)' ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi

uninstall:
	@tools/uninstall '$(DESTDIR)'

format: packages-check
	@tools/check-format --fix

tags: packages-tags
	git ls-files 'include/*.h' 'src/*.[ch]' 'workloads/*.[ch]' 'bench/*.[ch]' | \
		ctags --languages=C --langmap=C:+.h -L -

clean:
	cmake -E rm -rf build build-check
