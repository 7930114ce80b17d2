# What people type; CONTRIBUTING.md says more. .ci/run uses the same targets.

GO ?= go
EDITORS ?= vscode neovim

.PHONY: build demo test editors-test tools lint cross bench bench-peers generate picture pictures vsix clean

build: ## the three binaries, into bin/
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/ ./cmd/memls ./cmd/memhook ./cmd/agentcli

demo: build tools-git ## the main jobs on example memories, which stay in dist/example and dist/agent
	rm -rf dist/example dist/agent
	$(GO) run ./editors/demo -bin bin dist/example

test: tools ## everything that is tested, after installing what the tests need
	$(GO) test ./...

editors-test: ## the real editors that EDITORS names, after installing them
	.ci/editors-test $(EDITORS)

tools: ## programs that tests run beside our own
	.ci/install-tools git node npm

.PHONY: tools-git
tools-git:
	.ci/install-tools git

lint: ## formatting, vet, staticcheck, modules, generated files
	.ci/lint

cross: ## that every system builds
	for system in windows darwin; do GOOS=$$system CGO_ENABLED=0 $(GO) build ./... || exit 1; done

bench: build tools-git ## what people wait for, as a Markdown table; takes minutes
	$(GO) run ./editors/bench -bin bin $(BENCH)

bench-peers: build ## memls beside language servers from npm, as a Markdown table; takes minutes
	.ci/install-tools git node npm
	$(GO) run ./editors/bench -bin bin -peers -rounds 3 -keys 10 $(BENCH)

generate: ## the rules' pages
	$(GO) generate ./...

picture: build ## the picture of the README; needs nvim and tmux
	editors/neovim/picture.sh editors/neovim/picture.svg

pictures: ## those of Helix, Emacs, Vim and Kate
	.ci/install-tools git tmux hx emacs vim.nox kate xvfb-run import
	editors/editortest/pictures.sh helix emacs vim kate

vsix: ## the VS Code extension, into dist/; PLATFORMS=all for each platform
	.ci/install-tools node npm
	editors/vscode/package.sh $(PLATFORMS)

clean:
	rm -rf bin dist
