# make demo   builds the program, fetches a model once, and reads the sample trip
# make test   every check that a change must pass (.ci/test); what .ci/run calls
#
# Both install what is missing as root on a Debian-like system; for anybody else
# they print the one line to run, and stop. Everything made here lies in build/;
# models lie in the program's data folder (see README.md), so that they are
# fetched once for all clones.

# staticcheck 2026.2.2 is v0.8.2 of its module.
STATICCHECK = v0.8.2
GOFUMPT = v0.12.0

BIN = build/bin
MODEL = default

.PHONY: help demo test build gui lint tools bench-peer clean

help:
	@echo "make demo    build, fetch a model once, summarise the sample trip into build/demo"
	@echo "make test    all checks (about half an hour the first time); 135M model fetched once"
	@echo "make build   build/windowseat, terminal only: needs Go and gcc"
	@echo "make gui     build/windowseat-gui, with the window: needs the X and GL headers too"
	@echo "make lint    gofumpt, go vet, staticcheck"
	@echo "make bench-peer  speed against llama.cpp, whose programs lie in PEER_LLAMA; flags of"
	@echo "             .ci/bench-peer (see --help) in BENCH, as BENCH='--only-speed --rounds 3'"
	@echo "make clean   remove build/ (models stay)"

demo: build/.need-demo build
	@echo "== model: $(MODEL) (default means the largest that fits this machine)"
	build/windowseat models get $(MODEL)
	@echo "== assets/samples/trip"
	build/windowseat run --model $(MODEL) --force -o build/demo assets/samples/trip
	@echo "== done: the results are in build/demo"
	@ls build/demo

test: build/.need-test tools
	.ci/test

build: build/.need-build
	@echo "== build/windowseat"
	go build -tags nogui -o build/windowseat .

gui: build/.need-gui
	@echo "== build/windowseat-gui (the first time takes some minutes)"
	go build -o build/windowseat-gui .

lint: build/.need-test tools
	.ci/test lint

bench-peer:
	@.ci/bench-peer --check $(BENCH)
	@$(MAKE) --no-print-directory build
	.ci/bench-peer --ours build/windowseat --out build/bench $(BENCH)

tools: $(BIN)/staticcheck-$(STATICCHECK) $(BIN)/gofumpt-$(GOFUMPT)

$(BIN)/staticcheck-$(STATICCHECK):
	@echo "== staticcheck $(STATICCHECK)"
	GOBIN=$(CURDIR)/$(BIN) go install honnef.co/go/tools/cmd/staticcheck@$(STATICCHECK)
	@touch $@

$(BIN)/gofumpt-$(GOFUMPT):
	@echo "== gofumpt $(GOFUMPT)"
	GOBIN=$(CURDIR)/$(BIN) go install mvdan.cc/gofumpt@$(GOFUMPT)
	@touch $@

# One stamp per set of needs; a change of .ci/need looks again.
build/.need-build: .ci/need
	@.ci/need build
	@mkdir -p build && touch $@

build/.need-demo: .ci/need
	@.ci/need build fetch
	@mkdir -p build && touch $@

build/.need-gui: .ci/need
	@.ci/need build gui
	@mkdir -p build && touch $@

build/.need-test: .ci/need
	@.ci/need build fetch gui test
	@mkdir -p build && touch $@

clean:
	rm -rf build
