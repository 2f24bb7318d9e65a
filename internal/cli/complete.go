package cli

import (
	"bytes"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/presage-race/presage/internal/report"
)

// isCompletion reports whether a shell asks how a command line can go on.
func isCompletion(args []string) bool {
	return len(args) > 1 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// oneDash writes the answer to a shell with flags as the go command has them, with one dash.
type oneDash struct{ w io.Writer }

// Write takes whole lines, as cobra writes them.
func (o oneDash) Write(line []byte) (int, error) {
	out := line
	if bytes.HasPrefix(line, []byte("--")) {
		out = line[1:]
	}
	_, err := o.w.Write(out)
	return len(line), err
}

// flagValues are the words that the value of a flag can be.
func flagValues(flag string) (words []string) {
	switch flag {
	case "level":
		words = []string{levelNone, levelHB, levelCausal, levelValue, levelPath}
	case "format":
		for _, f := range report.Formats {
			words = append(words, f.Name)
		}
	case "static":
		words = []string{"likely", "possible", "unlikely", "all"}
	case "confirm":
		words = []string{"on", "off"}
	case "filter":
		words = []string{filterTree, filterNone}
	}
	return words
}

// completeValues has the flags of a command complete their values.
func completeValues(cmd *cobra.Command) {
	for _, flag := range []string{"level", "format"} {
		if cmd.Flags().Lookup(flag) != nil {
			cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(flagValues(flag), cobra.ShellCompDirectiveNoFileComp))
		}
	}
}

// completeGo completes the command line of test and run, whose flags cobra does not know: flags of
// presage and of the go command, their values, and packages.
func completeGo(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	last := ""
	if len(args) > 0 && strings.HasPrefix(args[len(args)-1], "-") {
		last = strings.TrimLeft(args[len(args)-1], "-")
	}
	name, _, inline := strings.Cut(strings.TrimLeft(word, "-"), "=")
	switch {
	case strings.HasPrefix(word, "-") && inline:
		var words []string
		for _, v := range flagValues(name) {
			words = append(words, "-"+name+"="+v)
		}
		return begun(words, word), cobra.ShellCompDirectiveNoFileComp
	case strings.HasPrefix(word, "-"):
		return begun(goFlags(cmd.Name()), word), cobra.ShellCompDirectiveNoFileComp
	case slices.Contains(valueFlags, last):
		if words := flagValues(last); words != nil {
			return begun(words, word), cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
	directive := cobra.ShellCompDirectiveNoFileComp
	if cmd.Name() == "run" {
		directive = cobra.ShellCompDirectiveDefault // Go files, and what is for the program
	}
	return packages(word), directive
}

// goFlags are the flags of test or run, but for those that presage refuses.
func goFlags(command string) (words []string) {
	for _, f := range slices.Concat(ownFlags, boolFlags, valueFlags) {
		if word := "-" + f; refused[f] == "" && !strings.HasPrefix(f, "test.") && !slices.Contains(words, word) && (command != "run" || !ofTests[f]) {
			words = append(words, word)
		}
	}
	slices.Sort(words)
	return words
}

// ofTests are the flags of go test that go build does not have.
var ofTests = func() map[string]bool {
	flags := map[string]bool{}
	for _, f := range slices.Concat(boolFlags, valueFlags) {
		if name, ok := strings.CutPrefix(f, "test."); ok {
			flags[name] = true
		}
	}
	for _, f := range strings.Fields("bench benchmem benchtime blockprofile blockprofilerate count cpu cpuprofile fullpath artifacts fuzz fuzzminimizetime fuzztime i memprofile memprofilerate mutexprofile mutexprofilefraction outputdir shuffle trace vet") {
		flags[f] = true
	}
	delete(flags, "v")
	return flags
}()

// packages are patterns of the directories below that of a word.
func packages(word string) (words []string) {
	base, _ := path.Split(word)
	if base == "" {
		base = "./"
	}
	words = append(words, base+"...")
	entries, err := os.ReadDir(base)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if n := e.Name(); e.IsDir() && !strings.HasPrefix(n, ".") && !strings.HasPrefix(n, "_") && n != "testdata" && n != "vendor" {
			words = append(words, base+n, base+n+"/...")
		}
	}
	if !strings.HasPrefix(word, base) { // nothing is typed yet, or a name without ./
		word = base + word
	}
	return begun(words, word)
}

// begun are the words that begin with one.
func begun(words []string, word string) (out []string) {
	for _, w := range words {
		if strings.HasPrefix(w, word) {
			out = append(out, w)
		}
	}
	return out
}
