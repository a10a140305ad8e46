# `make help` lists the targets.

PREFIX = /usr/local
DESTDIR =

# For all builds. Backtraces have line numbers; what else a debugger needs takes a tenth of a build. Colours are a compiler
# option: builds on a terminal and elsewhere would not share files.
lines-only = -Xswiftc -gline-tables-only --no-color-diagnostics
# One release build: what is installed, packaged and driven by the tests is built in one tree with them, file by file, so that
# a small change builds in seconds. The tests check that the binary is newer than its sources.
testable = -Xswiftc -enable-testing
file-by-file = $(lines-only) $(addprefix -Xswiftc ,-no-whole-module-optimization -enable-batch-mode -incremental)
release-build = swift build -c release $(testable) $(file-by-file)
binary = .build/release/accrec
build-product = $(release-build) --product accrec && touch $(binary)
symbols = .build/symbols
catalog = Sources/ACCAudioRecorder/ACCAudioRecorder.docc
sources = Sources Tests Examples Benchmarks Package.swift scripts/undocumented-symbols.swift
bin = $(DESTDIR)$(PREFIX)/bin/accrec
share = $(DESTDIR)$(PREFIX)/share
pages = $(notdir $(wildcard man/*.1))
man = $(addprefix $(share)/man/man1/,$(pages))
bash = $(share)/bash-completion/completions/accrec
zsh = $(share)/zsh/site-functions/_accrec
fish = $(share)/fish/vendor_completions.d/accrec.fish
# Where systemd looks for users' units below /usr, /usr/local and ~/.local.
units-directory = $(share)/systemd/user
units = $(notdir $(wildcard Examples/systemd/*))

.DEFAULT_GOAL = build
.PHONY: build run year client check tests test check-benchmarks check-versions check-memory test-quickly test-units test-on-servers sanitize sanitize-threads sanitize-addresses count fuzz corpus bench bench-peers account fidelity screenshot docs lint format install deb uninstall clean help

build: ## Build the release binary, with the Swift runtime linked in
	$(build-product)

run: ## Record ten seconds from the default microphone, or from a test tone; installs what is missing
	scripts/install-packages run
	$(build-product)
	scripts/run-demo $(binary)

# Audio kernels are up to 400 times slower in debug.
run-tests = scripts/run-tests .build/release/accrecPackageTests.xctest
unit-tests = ^(Library|Command)UnitTests

# Three at once on two processors, because some wait for disks and clocks.
test-units = $(run-tests) --jobs 3 --filter '$(unit-tests)'

check: ## Check the format, and run the tests that need no sound server, except for lengthy ones
	$(MAKE) --no-print-directory --jobs=2 lint test-quickly

test-quickly: tests
	$(test-units) --skip-tag lengthy

test-units: tests
	$(test-units)

year: tests ## Simulate a year of a logger with hourly files, and print what it has at the end
	ACCREC_YEAR=1 .build/release/accrecPackageTests.xctest --testing-library swift-testing --disable-xctest --filter YearTests

client: ## Build the examples and the documentation's snippets as a package that depends on this one by URL and version
	scripts/check-client .build/client

# By its product, because `--build-tests` would also build the argument parser's tools, twice.
tests: ## Build the tests, and the binary that they drive
	$(release-build) --product accrecPackageTests --disable-xctest
	$(build-product)

# Tests on servers mostly wait for sound, and run last and alone: beside builds, even at idle priority, servers are late and
# syncs of files take seconds.
test: ## Check the format and run all tests; installs what is missing
	scripts/install-packages test
	scripts/with-summary $(MAKE) --no-print-directory --jobs=2 --output-sync=target --keep-going lint test-units sanitize \
		client docs
	scripts/with-summary $(MAKE) --no-print-directory --keep-going check-benchmarks check-versions check-memory test-on-servers

check-benchmarks: tests
	scripts/check-benchmarks

check-versions: tests
	scripts/check-versions .build

check-memory: $(binary)
	scripts/check-memory $(binary)

test-on-servers:
	$(run-tests) --jobs 8 --most 4 --skip '$(unit-tests)' --skip-tag undisturbed
	$(run-tests) --jobs 1 --tag undisturbed

sanitize: sanitize-threads sanitize-addresses ## Run what threads share under the thread sanitiser and the address sanitiser

# Optimised, because each recording of the tests is checked and its loudness measured, which takes ten times as long without.
sanitized = swift build --package-path Tests/Sanitizers --build-tests --disable-xctest -c release $(testable) $(lines-only) \
	-Xswiftc -no-emit-module-separately-wmo
# The thread sanitiser does not understand the standard library's Mutex, so the sources are built with another one for it.
# Without `atexit_sleep_ms=0` it waits a second for other threads at the end of each process.
sanitize-threads:
	$(sanitized) --sanitize=thread -Xswiftc -DACCREC_THREAD_SANITIZER --scratch-path .build/thread
	TSAN_OPTIONS=atexit_sleep_ms=0 \
		scripts/run-tests .build/thread/release/SanitizersPackageTests.xctest --skip-tag skipsThreadSanitizer

sanitize-addresses:
	$(sanitized) --sanitize=address --scratch-path .build/address
	LSAN_OPTIONS=suppressions=$(CURDIR)/Tests/Sanitizers/leak.supp \
		scripts/run-tests .build/address/release/SanitizersPackageTests.xctest --skip-tag skipsAddressSanitizer

# Debian's Python, for which its numpy and scipy packages are built.
python = PYTHONPATH=scripts /usr/bin/python3 -B
benchmarks = .build/benchmarks
build-benchmarks = swift build -c release --package-path Benchmarks --scratch-path $(benchmarks) $(testable) $(file-by-file)
bench: ## Measure parts of the library and whole recordings of a synthetic source, and put the table into the documentation
	$(build-benchmarks)
	$(python) scripts/bench $(benchmarks)/release/Benchmarks

account: ## Score how completely lost audio is reported, of a synthetic source and on servers, and put the tables into the documentation
	scripts/install-packages account
	$(build-benchmarks)
	$(build-product)
	$(python) scripts/account $(benchmarks)/release/Account $(binary) $(arguments)

count: ## Fail where work that is always the same takes more instructions than it did
	scripts/install-packages test
	$(build-benchmarks)
	scripts/count-instructions $(benchmarks)/release/CountedWork $(keep)

# To measure single tables again: `make bench-peers arguments='--scenarios wav prompt-pipe --servers pipewire --turns 3'`.
bench-peers: ## Measure recordings beside other recorders, and put the tables into the documentation
	scripts/install-packages peers
	$(build-product)
	$(python) scripts/bench-peers $(binary) $(arguments)

# To run one campaign, or repeat one trial: `make fuzz arguments='--only toml --seed 17 --trials 1'`.
fuzz: ## Give the program hostile input for some seconds a campaign; fails where it traps, hangs or lies
	scripts/install-packages test
	$(build-product)
	$(python) -m fuzz $(binary) $(arguments)

# `make corpus` makes small files of every container; `make corpus CORPUS=directory` takes those of a directory.
corpus: ## Check that repair makes no file worse for ffmpeg, SoX and libsndfile
	scripts/install-packages test
	$(build-product)
	scripts/check-corpus $(binary) $(CORPUS)

fidelity: ## Measure conversions of the rate beside other recorders, and put the table into the documentation
	scripts/install-packages fidelity
	$(build-product)
	$(python) scripts/fidelity $(binary)

screenshot: ## Take the pictures of README.md, of a recording in a terminal
	scripts/install-packages screenshot
	$(build-product)
	scripts/screenshot $(binary) docs

# The symbol graph is extracted from the compiled library, which contains its documentation.
docs: ## Build the documentation to .build/docs; fails where a public symbol has none, or a type no topic
	$(release-build) --target ACCAudioRecorder
	mkdir -p $(symbols)
	swift symbolgraph-extract -module-name ACCAudioRecorder -target $(shell uname -m)-unknown-linux-gnu \
		$(addprefix -I ,.build/release/Modules $(wildcard Sources/C*)) \
		-I .build/checkouts/swift-system/Sources/CSystem/include \
		-minimum-access-level public -skip-synthesized-members -skip-inherited-docs -output-dir $(symbols)
	swift scripts/undocumented-symbols.swift $(symbols)/*.symbols.json $(catalog)/*.md
	docc convert $(catalog) --additional-symbol-graph-dir $(symbols) --warnings-as-errors --output-path .build/docs \
		--fallback-default-module-kind Library

# mandoc does not know the pages that are referred to but not installed.
lint: ## Check the format of all sources and of the manual page, and that each folder names only what stands below it
	swift format lint --strict --recursive $(sources)
	scripts/floors
	scripts/seam
	scripts/plain-words
	! mandoc -T lint man/*.1 2>&1 | grep -v -e 'outdated mandoc.db' -e 'referenced manual not found'

format: ## Format all sources in place
	swift format --in-place --recursive $(sources)

# Built only if missing, so that root can install without Swift what another user has built.
$(binary):
	$(build-product)

install: $(binary) ## Install the binary, the manual pages, completions and systemd units below PREFIX (/usr/local)
	install -D -s -m 755 $(binary) $(bin)
	install -d $(share)/man/man1
	install -m 644 man/*.1 $(share)/man/man1
	sed -i "s/^\.Os$$/.Os $$($(binary) --version | head -n 1)/" $(man)
	install -d $(dir $(bash) $(zsh) $(fish))
	$(binary) --generate-completion-script bash | sed '1{/^#!/d}' >$(bash)
	$(binary) --generate-completion-script zsh >$(zsh)
	$(binary) --generate-completion-script fish >$(fish)
	chmod 644 $(bash) $(zsh) $(fish)
	install -d $(units-directory)
	prefix=$(PREFIX); for unit in $(units); do \
		sed "s|/usr/local/bin/accrec|$$prefix/bin/accrec|" Examples/systemd/$$unit >$(units-directory)/$$unit; done
	chmod 644 $(addprefix $(units-directory)/,$(units))

deb: ## Build a Debian package to .build/deb
	scripts/install-packages build deb
	$(build-product)
	scripts/build-deb $(binary) .build/deb

uninstall: ## Remove what install has put there
	rm -f $(bin) $(man) $(bash) $(zsh) $(fish) $(addprefix $(units-directory)/,$(units))

clean: ## Remove everything that was built
	rm -rf .build

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14
