.DEFAULT_GOAL := help

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
# The commit and its time are arguments of the image, and in bin/informerd.
REVISION := $(shell git rev-parse HEAD 2>/dev/null)
SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null)
PACKAGE := github.com/informerd/informerd/internal/cli
LDFLAGS := -X $(PACKAGE).version=$(VERSION) -X $(PACKAGE).commit=$(REVISION) -X $(PACKAGE).date=$(SOURCE_DATE_EPOCH)

# The modules of the repository. dev/cluster is named apart, since it links all of Kubernetes: it is always built without
# cgo and so without the race detector, as its own build.sh does, to compile that only once.
MODULES := . $(patsubst %/go.mod,%,$(wildcard plugins/sdk/go/go.mod plugins/examples/go.mod bench/go.mod bench/alertmanager/go.mod dev/tools/go.mod dev/browser/go.mod dev/image/go.mod))
COMPETITOR := $(patsubst %/go.mod,%,$(wildcard bench/competitor/go.mod))
# What links Helm and kubectl, and takes minutes to build: make install-test tests it.
INSTALL := $(patsubst %/go.mod,%,$(wildcard dev/install/go.mod))
CLUSTER := $(patsubst %/go.mod,%,$(wildcard dev/cluster/go.mod))
GUEST_MODULES := $(filter plugins/%,$(MODULES))
# What has no goroutines of its own, and many dependencies that would be built for the race detector, or
# measures, which with the detector takes minutes and measures that.
SEQUENTIAL := $(filter bench bench/alertmanager dev/tools,$(MODULES))
# Packages without goroutines of their own, whose tests count steps and bytes of large inputs: the race detector would
# take ten times as long and see nothing, since the packages that use them at once are tested with it.
UNRACED := ./pkg/informer/object/... ./pkg/plugins/internal/meter ./pkg/plugins/internal/hostile
# What takes longest begins first, or one processor would wait for it in the end.
LONGEST := ./pkg/plugins ./pkg/informer
# What needs a browser: make browser tests it.
BROWSER := $(filter dev/browser,$(MODULES))
# What users run. A vulnerability of the Kubernetes that tests run against is not one of informerd.
SHIPPED := . $(GUEST_MODULES)

TOOLS    := bin/tools/staticcheck

# The race detector needs cgo on Linux, and go turns that off where there is no C compiler.
RACE      = $(if $(filter 1,$(shell go env CGO_ENABLED)),-race)
BENCH    ?= .
FUZZTIME ?= 20s
HISTORIES ?= 2000

# $(call each,MODULES,COMMAND) runs the command in each module and stops at the first that fails.
each = @set -e; for m in $(1); do echo "[$$m] $(2)"; (cd $$m && $(2)) || exit 1; done

# Each target uses all processors by itself, and "test" installs compilers before it builds with them.
.NOTPARALLEL:

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "%-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: quick
quick: ## Check the edit at hand: format, vet, layout, short tests (1 min)
	@dev/quick.sh

.PHONY: build
build: ## Build bin/informerd
	go build -ldflags "$(LDFLAGS)" -o bin/informerd ./cmd/informerd

.PHONY: devcluster
devcluster: bin/devcluster bin/kwok ## Build bin/devcluster and bin/kwok, a real control plane

bin/devcluster: $(shell find dev/cluster -type f ! -name '*_test.go' ! -path '*/testdata/*' 2>/dev/null)
	@echo "building the control plane: some minutes from an empty build cache, seconds after that"
	dev/cluster/build.sh bin
	@touch bin/devcluster bin/kwok

bin/kwok: bin/devcluster
	@test -f $@ || dev/cluster/build.sh bin
	@touch $@

.PHONY: examples
examples: asc ## Build the example handlers into bin/plugins
	@plugins/build bin/plugins

# The compiler of AssemblyScript comes from npm. What is missing in the end, plugins/build says.
.PHONY: asc
asc:
	@dev/needs.sh fetch

.PHONY: needs
needs: ## Install compilers that tests use (Debian, as root)
	@dev/needs.sh install

# What go test vets is a part of what make check vets, or make check-cluster.
.PHONY: test
test: export GUESTS ?= optional
test: needs devcluster build examples ## Run all tests, most with the race detector (ten minutes)
	INFORMERD_BIN=$(CURDIR)/bin/informerd go test $(RACE) -vet=off -timeout 20m $(LONGEST) $$(go list ./... | grep -vxF "$$(go list $(UNRACED))")
	@# Alone, since it compares times.
	go test -vet=off -timeout 20m ./pkg/informer/object/...
	go test -vet=off -timeout 20m $(filter-out ./pkg/informer/object/...,$(UNRACED))
	plugins/test bin/plugins
	$(call each,$(filter-out . $(SEQUENTIAL) $(BROWSER),$(MODULES)),go test $(RACE) -vet=off -short -timeout 20m ./...)
	$(call each,$(SEQUENTIAL),go test -vet=off -short -timeout 20m ./...)
	$(call each,$(CLUSTER),CGO_ENABLED=0 DEVCLUSTER_BIN=$(CURDIR)/bin/devcluster go test -vet=off -timeout 20m ./...)
	@dev/needs.sh report

.PHONY: check
check: fmt-check vet lint archtest alerts tidy-check vulncheck ## Run the checks that are not tests (two minutes)
	@echo "all checks passed"

.PHONY: fmt
fmt: ## Format all Go files
	gofmt -w .

.PHONY: fmt-check
fmt-check: # Fail if a Go file is not formatted
	@unformatted=$$(gofmt -l .) && test -z "$$unformatted" || { echo "not formatted, run make fmt:"; echo "$$unformatted"; exit 1; }

.PHONY: vet
vet: # Run go vet in all modules
	$(call each,$(MODULES),go vet ./...)
	$(call each,$(GUEST_MODULES),GOOS=wasip1 GOARCH=wasm go vet ./...)

.PHONY: lint
lint: tools # Run staticcheck with the rules of staticcheck.conf
	$(call each,$(MODULES),$(CURDIR)/bin/tools/staticcheck ./...)

# Both look at all of Kubernetes first, which takes three minutes from an empty cache.
.PHONY: check-cluster
check-cluster: tools ## Run vet and staticcheck on dev/cluster, after a change there
	$(call each,$(CLUSTER),CGO_ENABLED=0 go vet ./...)
	$(call each,$(CLUSTER),CGO_ENABLED=0 $(CURDIR)/bin/tools/staticcheck ./...)

.PHONY: archtest
archtest: # Check the import rules and package docs
	go test -count=1 ./internal/archtest

.PHONY: alerts
alerts: bin/tools/promtool # Check names of metrics, and the alerts in deploy
	bin/tools/promtool check metrics <internal/endpoints/testdata/metrics.txt
	bin/tools/promtool check rules --lint=all --lint-fatal deploy/alerts.yaml
	bin/tools/promtool test rules deploy/alerts_test.yaml

# What finds targets in a cloud would be three quarters of it.
bin/tools/promtool: dev/tools/go.mod
	cd dev/tools && go build -tags remove_all_sd -o ../../$@ github.com/prometheus/prometheus/cmd/promtool
	@touch $@

.PHONY: tidy-check
tidy-check: # Fail if a go.mod or go.sum is not tidy
	$(call each,$(MODULES) $(CLUSTER) $(COMPETITOR) $(INSTALL),go mod tidy -diff)

.PHONY: vulncheck
vulncheck: tools # Look for known vulnerabilities (GOVULNDB=mirror, VULNCHECK=required)
	bin/tools/vulncheck $(SHIPPED)

.PHONY: tools
tools: $(TOOLS) # Build the tools that check uses into bin/tools

$(TOOLS): $(wildcard dev/tools/go.* dev/tools/*/*.go)
	cd dev/tools && go build -o ../../bin/tools/ ./vulncheck golang.org/x/vuln/cmd/govulncheck honnef.co/go/tools/cmd/staticcheck
	@touch $@

.PHONY: demo
demo: devcluster build examples ## See informerd work on a real control plane (a minute)
	go run ./dev/demo

.PHONY: demo-up
demo-up: devcluster build examples ## Start the demo and leave it running; demo-down stops it
	go run ./dev/demo up

.PHONY: demo-down
demo-down: # Stop what demo-up started
	go run ./dev/demo down

bin/informerbench: FORCE
	cd bench && go build -o ../bin/informerbench ./cmd/informerbench

# Another whole program to compare with. It is left out of the comparison where it cannot be built.
bin/shell-operator: $(wildcard bench/competitor/*)
	bench/competitor/build.sh bin

.PHONY: FORCE
FORCE:

.PHONY: bench
bench: build bin/informerbench bin/shell-operator ## Measure informerd and others, write bench/RESULTS.md (30 min)
	cd bench && ../bin/informerbench run -o RESULTS.md

.PHONY: bench-quick
bench-quick: bin/informerbench ## A small make bench; fails if a ratio is off by a factor of two
	bin/informerbench run -quick -known bench/RESULTS.md

.PHONY: bench-handlers
bench-handlers: ## Compare handlers with other hosts, write bench/HANDLERS.md
	cd bench && GUESTS=required go test -count=1 -run '^TestTable$$' ./handlers -table ../HANDLERS.md

.PHONY: bench-micro
bench-micro: ## Run the Go benchmarks (BENCH=regexp)
	go test -run '^$$' -bench '$(BENCH)' -benchmem -timeout 60m ./pkg/...
	cd bench && go test -run '^$$' -bench '$(BENCH)' -benchmem -timeout 60m ./...

.PHONY: install-test
install-test: devcluster build ## Test the chart, the kustomizations and the manifest on a control plane (as root)
	$(call each,$(INSTALL),go test -count=1 -timeout 15m -v .)

.PHONY: manifest
manifest: build ## Write deploy/informerd.yaml and what kustomize has of it, after a change of the chart
	cd dev/install && go test -count=1 -vet=off -run 'IsGenerated$$' . -update

.PHONY: browser
browser: devcluster build examples ## Test the status page in Chromium (MINUTES=10, PICTURES=docs/images)
	cd dev/browser && npm ci --no-audit --no-fund
	cd dev/browser && MINUTES=$(or $(MINUTES),1) PICTURES=$(abspath $(PICTURES)) go test -count=1 -timeout 60m -v .

.PHONY: editor
editor: ## Test the schema of configurations with the language server of editors (needs node)
	cd dev/editor && npm ci --no-audit --no-fund && node --test

.PHONY: site
site: ## Build the documentation as a site, into bin/site (node and npm; half a minute)
	cd dev/site && if [ ! node_modules -nt package-lock.json ]; then npm ci --no-audit --no-fund && touch node_modules; fi
	cd dev/site && npx --no-install vitepress build . && node check.mjs

.PHONY: conformance
conformance: ## Compare with client-go, run models and mutants at full length
	CONFORMANCE_SEEDS=2000 go test -count=1 -timeout 60m ./pkg/informer/conformance
	go test -count=1 -timeout 60m -run Model ./pkg/informer ./pkg/informer/internal/buffer ./pkg/informer/internal/lanes \
		./pkg/informer/internal/store -rapid.checks=10000 -rapid.steps=200
	go test -count=1 -timeout 60m -run Model ./internal/delivery ./internal/backoff ./internal/route -rapid.checks=100000
	go test -count=1 -timeout 60m -run Model ./internal/keeper -rapid.checks=20000
	FILTERS_TIME=30s go test -count=1 -timeout 60m -run 'Pays*ForTime' ./pkg/filters/internal/eval
	go run ./dev/mutants

.PHONY: fault
fault: devcluster build examples ## Kill the API server and the daemon under load; have outputs fail and rights miss in each way
	STRESS=full go test -count=1 -timeout 15m -v ./internal/stress
	OUTAGE=full go test $(RACE) -count=1 -timeout 30m -v ./internal/outage
	go test -count=1 -timeout 10m -v ./internal/outage/away
	STRESS=full go test -count=1 -timeout 40m -v ./internal/stress/reloads
	STRESS=full go test -count=1 -timeout 30m -parallel 4 -v ./internal/stress/restarts
	STRESS=full go test -count=1 -timeout 40m -v ./internal/stress/replicas
	STRESS=full go test -count=1 -timeout 20m -v -run '^TestRights$$' ./internal/e2e
	STRESS=full go test -count=1 -timeout 20m -v -run '^TestNothingIsMissedWhileItIsAway$$' ./internal/e2e
	LOAD=$(or $(LOAD),5m) go test -count=1 -timeout 30m -v -run '^Test(ConditionsDoNotWaitForReceivers|Tenants|ManyListeners)$$' ./internal/e2e
	FLOOD=$(or $(FLOOD),10m) go test -count=1 -timeout 20m -v -run '^TestFlood$$' ./internal/e2e
	TOGETHER=$(or $(TOGETHER),10m) go test -count=1 -timeout 20m -v -run '^TestTogether$$' ./internal/e2e

.PHONY: hostile
hostile: examples ## Run hostile and damaged handlers (HOSTILE_SEARCH=5m)
	HOSTILE=full HOSTILE_SEARCH=$(or $(HOSTILE_SEARCH),5m) go test -count=1 -timeout 60m -v \
	  -run 'TestCorpus$$|TestCrowd$$|TestHugeRanges$$|TestMutants$$|TestSearch$$|TestWorst$$|TestKnownCostlyModules$$|TestSearchForCostlyModules$$' ./pkg/plugins/internal/hostile

.PHONY: fuzz
fuzz: ## Run each fuzz test for FUZZTIME=20s, and HISTORIES=2000
	@set -e; for f in $$(grep -rlE --include='*_test.go' '^func Fuzz' pkg internal); do \
	  for name in $$(sed -nE 's/^func (Fuzz[A-Za-z0-9_]*).*/\1/p' $$f); do \
	    echo "$$f $$name"; go test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) ./$$(dirname $$f); \
	  done; done
	HISTORIES=$(HISTORIES) go test -count=1 -timeout 24h -run '^TestHistories$$' ./pkg/informer/object

.PHONY: schemas
schemas: devcluster ## Write internal/schema/builtin.gz from a control plane
	@set -e; dir=$$(mktemp -d); trap 'bin/devcluster down --dir $$dir; rm -rf $$dir' EXIT; trap 'exit 1' INT TERM HUP; \
	  bin/devcluster up --dir $$dir; go run ./dev/schemas --kubeconfig $$dir/kubeconfig

# The architectures of the image, and its name.
PLATFORMS ?= linux/amd64 linux/arm64
IMAGE ?= informerd:$(VERSION)

# Older versions of buildah do not know BUILDPLATFORM by themselves.
.PHONY: image
image: ## Build the image with buildah, for PLATFORMS, as the manifest list IMAGE
	@command -v buildah >/dev/null || { echo "make image needs buildah; docker buildx build --platform does the same with the Dockerfile" >&2; exit 1; }
	-buildah manifest rm $(IMAGE) 2>/dev/null
	@set -e; for p in $(PLATFORMS); do \
	  buildah build --platform $$p --build-arg BUILDPLATFORM=linux/$$(go env GOHOSTARCH) \
	    --timestamp $(SOURCE_DATE_EPOCH) --manifest $(IMAGE) --build-arg VERSION=$(VERSION) \
	    --build-arg REVISION=$(REVISION) --build-arg SOURCE_DATE_EPOCH=$(SOURCE_DATE_EPOCH) .; \
	done

.PHONY: image-test
image-test: devcluster examples ## Build the image twice for each architecture and run it (root, buildah; no registry)
	cd dev/image && IMAGE=required go test -count=1 -timeout 120m -v .

.PHONY: sdk
sdk: ## Write the copy of the Go SDK that "informerd plugin new" brings
	go test -count=1 -run '^TestGoSDKArchive$$' ./internal/author -update

.PHONY: docs
docs: ## Write what is generated in docs
	go test -count=1 -run '^(TestReference|TestJSONSchema)$$' ./internal/config -update
	go test -count=1 -run '^TestMetrics(Page)?$$' ./internal/endpoints -update
	go test -count=1 -run '^Test(ExpressionPages|(Outputs|Reliability)Page)$$' ./internal/daemon -update
	go test -count=1 -run '^Test(Outputs|Deploy|CommandLine)Page$$' ./internal/cli -update
	go test -count=1 -run '^Test(Mistakes|Pages|Sizing)$$' ./internal/pagetest -update
	cd dev/tools && go test -count=1 -run 'IsGenerated$$' ./monitoring -update

.PHONY: clean
clean: ## Remove what the other targets built
	rm -rf bin .demo plugins/sdk/assemblyscript/node_modules dev/site/node_modules
