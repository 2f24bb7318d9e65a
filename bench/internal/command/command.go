// Package command makes one command of several experiments.
//
// A command of bench has a table of subcommands. Each subcommand is a package below the command,
// with a function Main that gets its arguments and returns the exit code:
//
//	0  the results are as expected
//	1  a result is not: a false race, a lost record, a limit that is passed
//	2  the experiment could not be made
//
// Commands run in the directory of this module, as `go -C bench run` runs them: programs under test
// and data are found from there. Packages of presage's own module are named with ../ in front.
package command

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strings"
)

// A Sub is a subcommand.
type Sub struct {
	Name  string
	Short string // what it measures, in one line
	Main  func(args []string) int
}

// inner reports whether a subcommand is one that experiments run in place of a program under
// test. It has no description, is not in the help, and may run in any directory.
func (s *Sub) inner() bool { return s.Short == "" }

// Main runs the subcommand that the arguments of the process name, and ends the process. Without
// arguments, or with help, it prints what there is.
func Main(name, short string, subs ...Sub) {
	os.Exit(run(name, short, subs, os.Args[1:], os.Stdout, os.Stderr))
}

func run(name, short string, subs []Sub, args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		help(stderr, name, short, subs)
		return 2
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		if len(args) < 2 {
			help(stdout, name, short, subs)
			return 0
		}
		args = []string{args[1], "-help"}
	}
	for _, s := range subs {
		if s.Name == args[0] {
			if err := inModule(); err != nil && !s.inner() {
				fmt.Fprintf(stderr, "%s: %v\n", name, err)
				return 2
			}
			log.SetFlags(0)
			log.SetPrefix(name + " " + s.Name + ": ")
			return s.Main(args[1:])
		}
	}
	fmt.Fprintf(stderr, "%s: no subcommand %q\n", name, args[0])
	help(stderr, name, short, subs)
	return 2
}

func help(w io.Writer, name, short string, subs []Sub) {
	fmt.Fprintf(w, "%s: %s\n\n\tgo -C bench run ./%s SUBCOMMAND [flags]\n\nSubcommands:\n\n", name, short, name)
	for _, s := range subs {
		if !s.inner() {
			fmt.Fprintf(w, "\t%-10s  %s\n", s.Name, s.Short)
		}
	}
	fmt.Fprintf(w, "\n\"go -C bench run ./%s help SUBCOMMAND\" prints the flags of one.\n", name)
}

// module is the first line of go.mod in the directory that commands run in.
const module = "module github.com/presage-race/presage/bench\n"

// inModule returns an error if the working directory is not that of this module.
func inModule() error {
	text, err := os.ReadFile("go.mod")
	if err == nil && strings.HasPrefix(string(text), module) {
		return nil
	}
	return fmt.Errorf("the working directory is not bench: use go -C bench run")
}

// Flags returns the flags of a subcommand, to be defined and parsed. Name is the command and the
// subcommand; args says which flags and arguments there are. A wrong flag ends the process with
// exit code 2.
func Flags(name, args string) *flag.FlagSet {
	return FlagsOf(strings.ReplaceAll(name, " ", "/"), name, args)
}

// FlagsOf is Flags of a subcommand whose package has another name.
func FlagsOf(pkg, name, args string) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ExitOnError)
	f.Usage = func() {
		command, sub, _ := strings.Cut(name, " ")
		w := f.Output()
		fmt.Fprintf(w, "usage: go -C bench run ./%s %s %s\n\n", command, sub, args)
		f.PrintDefaults()
		fmt.Fprintf(w, "\n\"go -C bench doc ./%s\" says what is measured.\n", pkg)
	}
	return f
}

// Dir defines flag -dir.
func Dir(f *flag.FlagSet) *string {
	return f.String("dir", "", "scratch directory, which is kept; default: a temporary one")
}

// Presage defines flag -presage.
func Presage(f *flag.FlagSet) *string {
	return f.String("presage", "", "the presage command; default: built from this checkout")
}

// Parts is a flag that names things by parts of their names, with commas between the parts.
type Parts string

// Match reports whether a name has one of the parts. Every name has the part of an empty flag.
func (p *Parts) Match(name string) bool {
	return slices.ContainsFunc(strings.Split(string(*p), ","), func(part string) bool { return strings.Contains(name, part) })
}

// Only defines flag -only, which names some of the things that a subcommand measures.
func Only(f *flag.FlagSet, things string) *Parts {
	p := new(Parts)
	f.StringVar((*string)(p), "only", "", things+" whose name contains one of these, with commas between them")
	return p
}

// Usage prints how a subcommand is used, and returns the exit code for that.
func Usage(f *flag.FlagSet) int {
	f.Usage()
	return 2
}

// NoArgs ends the process if flags are followed by arguments.
func NoArgs(f *flag.FlagSet) {
	if f.NArg() > 0 {
		log.Printf("unexpected argument %q", f.Arg(0))
		os.Exit(Usage(f))
	}
}

// Fail prints an error and returns the exit code of an experiment that could not be made.
func Fail(err error) int {
	log.Print(err)
	return 2
}

// Check ends the process if there is an error.
func Check(err error) {
	if err != nil {
		os.Exit(Fail(err))
	}
}

// Code is the exit code of an experiment that was made.
func Code(good bool) int {
	if good {
		return 0
	}
	return 1
}

// Self returns the words that run a subcommand of this process' command, as flag -exec of the go
// command needs them.
func Self(sub string) (string, error) {
	name, err := os.Executable()
	return name + " " + sub, err
}
