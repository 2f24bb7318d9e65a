// Command command has a command of cobra, another module's code, that two goroutines give flags and
// subcommands.
package main

import (
	"fmt"
	"sync"

	"github.com/spf13/cobra"
)

func main() {
	root := &cobra.Command{Use: "root"}
	var wg sync.WaitGroup
	wg.Go(func() {
		mine := &cobra.Command{Use: "mine"}
		mine.AddCommand(&cobra.Command{Use: "a"})
		root.AddCommand(&cobra.Command{Use: "b"})
	})
	wg.Go(func() { root.SetArgs([]string{"c"}); root.AddCommand(&cobra.Command{Use: "longer"}) })
	wg.Go(func() { fmt.Println(root.HasSubCommands()) })
	wg.Wait()
}
