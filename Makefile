# Everything a developer types. What takes more than three lines of shell is a
# script in .ci/, which also runs by itself.

# A go.work in a folder above this one is of other modules.
export GOWORK = off

RUNS ?= 5000
FUZZ ?= 20s

.DEFAULT_GOAL := help
.PHONY: help demo server test race fuzz soak bench check shots vectors

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile

demo: ## play: two panes, a listen server and a client over UDP; without a display the same session in text
	@.ci/demo

server: ## bin/server, the dedicated server, a static program that needs no display
	CGO_ENABLED=0 go build -buildvcs=false -o bin/server ./demo/server

test: ## all tests; installs Xvfb and the libraries of windows where they are missing and may be installed
	@.ci/test

race: ## all tests under the race detector, which alone needs a C compiler
	@.ci/race

fuzz: ## every fuzz target for a while (FUZZ=20s each)
	@.ci/fuzz $(FUZZ)

soak: ## the property tests at length (RUNS=5000 of each), and sessions that come to the same on amd64, arm64 (emulated) and js/wasm
	@.ci/soak $(RUNS)

bench: ## bytes and time of the whole stack on every workload, beside the targets; some minutes
	@CGO_ENABLED=0 go run ./demo/bench/table

check: ## what must hold before the tests: format, vet, staticcheck, import rules, cross-compiles
	@.ci/check

shots: ## docs/panes.png: what both panes show after 5 seconds
	@.ci/shots

vectors: ## the golden vectors on this machine, in 32 bits, on arm64 (emulated) and on js/wasm (node)
	@.ci/vectors
