# `make help` lists the targets.

PREFIX = /usr/local
DESTDIR =

# The installed binary has its own build directory, because its flags differ from those of the tests.
product = .build/product
binary = $(product)/release/accrec
swift-build = scripts/build-binary $(product)
symbols = .build/symbols
catalog = Sources/ACCAudioRecorder/ACCAudioRecorder.docc
sources = Sources Tests Examples Benchmarks Package.swift scripts/undocumented-symbols.swift
bin = $(DESTDIR)$(PREFIX)/bin/accrec
share = $(DESTDIR)$(PREFIX)/share
man = $(share)/man/man1/accrec.1
bash = $(share)/bash-completion/completions/accrec
zsh = $(share)/zsh/site-functions/_accrec
fish = $(share)/fish/vendor_completions.d/accrec.fish

.DEFAULT_GOAL = build
.PHONY: build run client check tests test test-units test-on-servers sanitize sanitize-threads sanitize-addresses count fuzz bench bench-peers fidelity screenshot docs lint format install deb uninstall clean help

build: ## Build the release binary, with the Swift runtime linked in
	$(swift-build)

run: ## Record ten seconds from the default microphone, or from a test tone; installs what is missing
	scripts/install-packages run
	$(swift-build)
	scripts/run-demo $(binary)

# Tests are built in release, because audio kernels are up to 400 times slower in debug, but file by file, so that a small
# change builds in seconds. `make test` builds them as whole modules, whose library the benchmarks use, too.
# The program that the tests drive is the installed binary.
built-tests = .build/tests
incremental = $(addprefix -Xswiftc ,-no-whole-module-optimization -enable-batch-mode -incremental)
# Builds from nothing. A job of its own for the module file would check each file's types once more, and what a debugger
# needs to show values takes a tenth of a build.
whole-modules = $(addprefix -Xswiftc ,-no-emit-module-separately-wmo -gline-tables-only)
whole = built-tests=.build/whole incremental='$(whole-modules)'
run-tests = scripts/run-tests $(built-tests)/release/accrecPackageTests.xctest
units = ^UnitTests

check: ## Check the format, and run all tests that need no sound server
	$(MAKE) --no-print-directory --jobs=2 lint test-units

# Three at once on two processors, because some wait for disks and clocks.
test-units: tests
	$(run-tests) --jobs 3 --filter '$(units)'

client: ## Build the examples and the documentation's snippets as a package that depends on this one by URL and version
	scripts/check-client .build/client

tests: export ACCREC_TESTS = all
tests: ## Build the tests
	swift build -c release --build-tests --disable-xctest --scratch-path $(built-tests) -Xswiftc -enable-testing \
		$(incremental)

# Tests on servers mostly wait for sound, and run last and alone: beside builds, even at idle priority, servers are late and
# syncs of files take seconds. Instructions are counted with nothing beside them, too: threads that wait for processors
# take more of them.
test: ## Check the format and run all tests; installs what is missing
	scripts/install-packages test
	$(MAKE) --no-print-directory --jobs=2 --output-sync=target lint test-units build sanitize client docs $(whole)
	$(MAKE) --no-print-directory count
	scripts/check-versions .build/whole
	scripts/check-memory $(binary)
	$(MAKE) --no-print-directory test-on-servers $(whole)

test-on-servers:
	$(run-tests) --jobs 8 --skip '$(units)' --skip-tag undisturbed
	$(run-tests) --jobs 2 --skip '$(units)' --tag undisturbed

# The thread sanitiser does not understand the standard library's Mutex, so the sources are built with another one for it.
# Without `atexit_sleep_ms=0` it waits a second for other threads at the end of each process.
sanitized = UnitTests|StressTests
sanitize-threads sanitize-addresses: export ACCREC_TESTS = sanitized
sanitize: sanitize-threads sanitize-addresses ## Run what threads share under the thread sanitiser and the address sanitiser

sanitize-threads:
	swift build --build-tests --disable-xctest -c release --sanitize=thread -Xswiftc -DACCREC_THREAD_SANITIZER \
		-Xswiftc -enable-testing $(whole-modules) --scratch-path .build/thread
	TSAN_OPTIONS=atexit_sleep_ms=0 \
		scripts/run-tests .build/thread/release/accrecPackageTests.xctest --filter '$(sanitized)' \
		--skip-tag skipsThreadSanitizer

# Unoptimised, because to optimise what the address sanitiser adds takes longer than the tests then save.
sanitize-addresses:
	swift build --build-tests --disable-xctest -c release --sanitize=address -Xswiftc -enable-testing \
		-Xswiftc -Onone $(whole-modules) --scratch-path .build/address
	LSAN_OPTIONS=suppressions=$(CURDIR)/Tests/Sanitizers/leak.supp \
		scripts/run-tests .build/address/release/accrecPackageTests.xctest --filter '$(sanitized)' \
		--skip-tag skipsAddressSanitizer

# The benchmarks use internal declarations, as the tests do, and the library that is built with these as whole modules.
benchmarks = .build/whole
build-benchmarks = ACCREC_BENCHMARKS=1 swift build -c release --scratch-path $(benchmarks) -Xswiftc -enable-testing \
	$(whole-modules) --product
count: ## Fail where work that is always the same takes more instructions than it did
	scripts/install-packages test
	$(build-benchmarks) CountedWork
	scripts/count-instructions $(benchmarks)/release/CountedWork $(keep)

# Debian's Python, for which its numpy and scipy packages are built.
python = PYTHONPATH=scripts /usr/bin/python3 -B
bench: ## Measure parts of the library and whole takes of a synthetic source, and put the table into the documentation
	$(build-benchmarks) Benchmarks
	$(python) scripts/bench $(benchmarks)/release/Benchmarks

bench-peers: ## Measure takes beside other recorders, and put the tables into the documentation
	scripts/install-packages peers
	$(swift-build)
	$(python) scripts/bench-peers $(binary)

# To run one campaign, or repeat one trial: `make fuzz arguments='--only toml --seed 17 --trials 1'`.
fuzz: ## Give the program hostile input for some seconds a campaign; fails where it traps, hangs or lies
	scripts/install-packages test
	$(swift-build)
	$(python) -m fuzz $(binary) $(arguments)

fidelity: ## Measure conversions of the rate beside other recorders, and put the table into the documentation
	scripts/install-packages fidelity
	$(swift-build)
	$(python) scripts/fidelity $(binary)

screenshot: ## Take the pictures of README.md, of a recording in a terminal
	scripts/install-packages screenshot
	$(swift-build)
	scripts/screenshot $(binary) docs

# The symbol graph is extracted from the compiled library, which contains its documentation.
docs: tests ## Build the documentation to .build/docs; fails where a public symbol has none
	mkdir -p $(symbols)
	swift symbolgraph-extract -module-name ACCAudioRecorder -target $(shell uname -m)-unknown-linux-gnu \
		$(addprefix -I ,$(built-tests)/release/Modules $(wildcard Sources/C*)) \
		-I $(built-tests)/checkouts/swift-system/Sources/CSystem/include \
		-minimum-access-level public -skip-synthesized-members -skip-inherited-docs -output-dir $(symbols)
	swift scripts/undocumented-symbols.swift $(symbols)/*.symbols.json
	docc convert $(catalog) --additional-symbol-graph-dir $(symbols) --warnings-as-errors --output-path .build/docs \
		--fallback-default-module-kind Library

# mandoc does not know the pages that are referred to but not installed.
lint: ## Check the format of all sources and of the manual page, and that each folder names only what stands below it
	swift format lint --strict --recursive $(sources)
	scripts/floors
	scripts/plain-words
	! mandoc -T lint man/accrec.1 2>&1 | grep -v -e 'outdated mandoc.db' -e 'referenced manual not found'

format: ## Format all sources in place
	swift format --in-place --recursive $(sources)

# Built only if missing, so that root can install without Swift what another user has built.
$(binary):
	$(swift-build)

install: $(binary) ## Install the binary, the manual page and completions below PREFIX (/usr/local)
	install -D -s -m 755 $(binary) $(bin)
	install -D -m 644 man/accrec.1 $(man)
	sed -i "s/^\.Os$$/.Os $$($(binary) --version)/" $(man)
	install -d $(dir $(bash) $(zsh) $(fish))
	$(binary) --generate-completion-script bash | sed '1{/^#!/d}' >$(bash)
	$(binary) --generate-completion-script zsh >$(zsh)
	$(binary) --generate-completion-script fish >$(fish)
	chmod 644 $(bash) $(zsh) $(fish)

deb: ## Build a Debian package to .build/deb
	scripts/install-packages build deb
	$(swift-build)
	scripts/build-deb $(binary) .build/deb

uninstall: ## Remove what install has put there
	rm -f $(bin) $(man) $(bash) $(zsh) $(fish)

clean: ## Remove everything that was built
	rm -rf .build

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14
