# `make help` lists the targets.

PREFIX = /usr/local
DESTDIR =

# The binary to install has a build directory of its own: the tests build one that needs the Swift runtime.
product = .build/product
binary = $(product)/release/accrec
swift-build = scripts/build-binary $(product)
# The compiler writes symbol graphs only where it is told to, so the documentation has a build of its own.
symbols = .build/symbols
graph = $(symbols)/ACCAudioRecorder
catalog = Sources/ACCAudioRecorder/ACCAudioRecorder.docc
sources = Sources Tests Examples Benchmarks Package.swift scripts/undocumented-symbols.swift
bin = $(DESTDIR)$(PREFIX)/bin/accrec
share = $(DESTDIR)$(PREFIX)/share
man = $(share)/man/man1/accrec.1
bash = $(share)/bash-completion/completions/accrec
zsh = $(share)/zsh/site-functions/_accrec
fish = $(share)/fish/vendor_completions.d/accrec.fish

.DEFAULT_GOAL = build
.PHONY: build order run examples test release-tests sanitize sanitize-threads sanitize-addresses count bench bench-peers fidelity screenshot docs lint format install uninstall clean help

build: ## Build the release binary, with the Swift runtime linked in
	$(swift-build)

order: ## Find anew which functions a take runs, for the linker to put side by side
	scripts/install-packages test
	scripts/order-functions $(product)
	$(swift-build)

run: ## Record ten seconds from the default microphone, or from a test tone; installs what is missing
	scripts/install-packages run
	$(swift-build)
	scripts/run-demo $(binary)

examples: ## Build the examples, to .build/examples/release
	swift build -c release --package-path Examples --scratch-path .build/examples

# Audio is tested in release, for debug kernels are up to 400 times slower; what needs no sound server also in debug, with
# the address sanitiser, but for files that other programs are to read.
test: ## Check the format and run all tests; installs what is missing
	scripts/install-packages test
	$(MAKE) --no-print-directory lint
	$(MAKE) --no-print-directory --jobs=2 --output-sync=target release-tests sanitize build examples count docs
	scripts/check-memory $(binary)
	scripts/test-release

# A compiler that optimises keeps one core busy, and tests under a sanitiser hardly more: two at a time.
release-tests:
	scripts/test-release build

# The thread sanitiser does not know the standard library's Mutex, so the library is built with one that it knows; the
# commands are not.
# The address sanitiser keeps what was freed, so how much memory is held says nothing. What TOMLKit leaks is not ours. What
# parses options a thousand times over is slow under it, and has no memory of C.
sanitized = UnitTests|StressTests
sanitize-threads sanitize-addresses: export ACCREC_SANITIZED = 1
sanitize: sanitize-threads sanitize-addresses ## Run what threads share under the thread sanitiser and the address sanitiser

sanitize-threads:
	TSAN_OPTIONS=suppressions=$(CURDIR)/Tests/Sanitizers/thread.supp swift test --disable-xctest --no-parallel \
		-c release --sanitize=thread -Xswiftc -DACCREC_THREAD_SANITIZER --scratch-path .build/thread \
		--filter '$(sanitized)' --skip 'EventLogTests|LargeFileTests|KilledFileTests|SmallDiskTests'

sanitize-addresses:
	LSAN_OPTIONS=suppressions=$(CURDIR)/Tests/Sanitizers/leak.supp swift test --disable-xctest --no-parallel \
		--sanitize=address --scratch-path .build/address --filter '$(sanitized)' \
		--skip 'aHundredRecordings|LargeFileTests|KilledFileTests|SmallDiskTests|ManifestTests|ManualTests'

# The benchmarks see what is internal.
benchmarks = .build/benchmarks
build-benchmarks = swift build -c release --package-path Benchmarks --scratch-path $(benchmarks) \
	-Xswiftc -enable-testing --product
count: ## Fail where work that is always the same takes more instructions than it did
	scripts/install-packages test
	$(build-benchmarks) CountedWork
	scripts/count-instructions $(benchmarks)/release/CountedWork $(keep)

# Debian's own Python, which its packages of numpy and scipy are for.
python = PYTHONPATH=scripts /usr/bin/python3 -B
bench: ## Measure parts of the library and whole takes of a synthetic source, and put the table into the documentation
	$(build-benchmarks) Benchmarks
	$(python) scripts/bench $(benchmarks)/release/Benchmarks

bench-peers: ## Measure takes beside other recorders, and put the tables into the documentation
	scripts/install-packages peers
	$(swift-build)
	$(python) scripts/bench-peers $(binary)

fidelity: ## Measure conversions of the rate beside other recorders, and put the table into the documentation
	scripts/install-packages fidelity
	$(swift-build)
	$(python) scripts/fidelity $(binary)

screenshot: ## Take the pictures of README.md anew, of a take in a terminal
	scripts/install-packages screenshot
	$(swift-build)
	scripts/screenshot $(binary) docs

docs: ## Build the documentation to .build/docs; fails where a public symbol has none
	mkdir -p $(symbols)/all $(graph)
	swift build --target ACCAudioRecorder --scratch-path $(symbols) $(addprefix -Xswiftc ,-emit-symbol-graph \
		-emit-symbol-graph-dir $(symbols)/all -symbol-graph-minimum-access-level public \
		-symbol-graph-skip-synthesized-members)
	cp $(symbols)/all/ACCAudioRecorder*.symbols.json $(graph)
	swift scripts/undocumented-symbols.swift $(graph)/*.symbols.json
	docc convert $(catalog) --additional-symbol-graph-dir $(graph) --warnings-as-errors --output-path .build/docs \
		--fallback-default-module-kind Library

# Of the manual pages that this one refers to mandoc knows only those that are installed.
lint: ## Check the format of all sources and of the manual page
	swift format lint --strict --recursive $(sources)
	! mandoc -T lint man/accrec.1 2>&1 | grep -v -e 'outdated mandoc.db' -e 'referenced manual not found'

format: ## Format all sources in place
	swift format --in-place --recursive $(sources)

# So that root can install what another user has built, without Swift.
$(binary):
	$(swift-build)

install: $(binary) ## Install the binary, the manual page and completions below PREFIX (/usr/local)
	install -D -s -m 755 $(binary) $(bin)
	install -D -m 644 man/accrec.1 $(man)
	install -d $(dir $(bash) $(zsh) $(fish))
	$(binary) --generate-completion-script bash >$(bash)
	$(binary) --generate-completion-script zsh >$(zsh)
	$(binary) --generate-completion-script fish >$(fish)
	chmod 644 $(bash) $(zsh) $(fish)

uninstall: ## Remove what install has put there
	rm -f $(bin) $(man) $(bash) $(zsh) $(fish)

clean: ## Remove everything that was built
	rm -rf .build

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14
