package main

import (
	"context"
	_ "embed"
	"os"
	"strings"

	"github.com/presage-race/presage/internal/cli"
)

//go:embed doc.go
var doc string

func main() {
	os.Exit(cli.Main(context.Background(), cli.Env{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Help: help(doc),
	}))
}

// help is the comment of doc.go without its marks.
func help(doc string) string {
	_, doc, _ = strings.Cut(doc, "/*\n")
	doc, _, _ = strings.Cut(doc, "\n*/")
	return doc
}
