// Package presage has no code of its own: the command is cmd/presage. Its test keeps
// the rules that hold for the whole tree.
package presage
