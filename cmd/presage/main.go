package main

import (
	"context"
	"os"

	"github.com/presage-race/presage/internal/cli"
)

func main() {
	os.Exit(cli.Main(context.Background(), cli.Env{Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}))
}
