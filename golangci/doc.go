// Package golangci is presage vet as a linter of golangci-lint: a module plugin.
//
// # What it computes
//
// The warnings of presage vet ./... in the module of each package that is linted, with the same
// tiers and the same comments //presage:ignore. A warning is an issue at its first access in the
// module; accesses in other modules have no pass.
//
// The whole module is analysed once for each process, in the first pass that has a package of it.
// All other passes wait for the result, and report the issues in their own files. So the packages
// that golangci-lint is called with choose which issues are shown, and not which exist.
//
// # Why there are no facts
//
// The usual way of an analyzer is bottom-up: a pass sees the facts of the packages that its own
// package imports. The summaries of functions would fit: the go command computes them so (static,
// Vettool). The link does not fit. Two goroutines that race may be started by packages of which
// neither imports the other, and a command or a test that imports both has a pass in which their
// files are not. No pass comes after all others.
//
// # The cache of golangci-lint
//
// golangci-lint keeps the issues of a package under a digest of its files and of all that it
// imports. An issue of this linter depends on the packages that import its own as well: it would be
// kept when a lock is added there, and missed when one is removed. The names of the analyzers are
// part of the key. So a second analyzer, which reports nothing, has a name with a digest of the
// sources of the module and of what it replaces or shares a workspace with (type tree). All linters
// that golangci-lint runs together share this key. After an edit anywhere in the module, the others
// run again on all packages, too. Summaries of packages that an edit cannot have changed come from
// presage's own cache.
//
// # Soundness
//
// What makes presage vet fail is an issue here: a package that does not load whole, and a wrong
// directive. What presage vet only counts is not shown, such as calls with unknown targets and
// directives that silence nothing; nor is presage.yaml read.
package golangci
