package command

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Figures prints results in the format of Go's benchmarks (golang.org/x/perf/benchfmt), which
// benchstat and command results read. Before the first result are configuration lines: the commit,
// the date and the command.
type Figures struct {
	name string // of the command
	on   *bool
	out  io.Writer
	said bool
}

// FiguresFlag defines flag -benchfmt, which turns figures on.
func FiguresFlag(f *flag.FlagSet) *Figures {
	return &Figures{name: f.Name(), on: f.Bool("benchfmt", false, "print the figures in the format of Go's benchmarks as well"), out: os.Stdout}
}

// On reports whether figures are asked for.
func (f *Figures) On() bool { return *f.on }

// A Figure is a number with its unit. The unit has no space.
type Figure struct {
	Value float64
	Unit  string
}

// Count is a figure that is a number of things.
func Count[T ~int | ~int64 | ~uint64](n T, unit string) Figure { return Figure{float64(n), unit} }

// Print prints a result, if figures are asked for and there are some. The name says what was
// measured, as "zap/level=path".
func (f *Figures) Print(name string, figures ...Figure) {
	if !f.On() || len(figures) == 0 {
		return
	}
	if !f.said {
		f.said = true
		fmt.Fprintf(f.out, "commit: %s\ndate: %s\ncommand: %s\n", commit(), time.Now().UTC().Format(time.DateOnly), f.line())
	}
	fmt.Fprint(f.out, Line(f.title()+"/"+name, figures...))
}

// Line is a result as a line of the format.
func Line(name string, figures ...Figure) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Benchmark%s 1", strings.ReplaceAll(name, " ", "_"))
	for _, x := range figures {
		fmt.Fprintf(&b, " %.8g %s", x.Value, strings.ReplaceAll(x.Unit, " ", "-"))
	}
	b.WriteByte('\n')
	return b.String()
}

// title is the name of the subcommand, as names of benchmarks begin.
func (f *Figures) title() string {
	_, sub, _ := strings.Cut(f.name, " ")
	return strings.ToUpper(sub[:1]) + sub[1:]
}

// line is what was run, without -benchfmt.
func (f *Figures) line() string {
	command, _, _ := strings.Cut(f.name, " ")
	line := "go -C bench run ./" + command
	for _, a := range os.Args[1:] {
		switch {
		case a == "-benchfmt" || a == "--benchfmt":
			continue
		case strings.ContainsAny(a, " |;*$\"'()\\"):
			a = "'" + a + "'"
		}
		line += " " + a
	}
	return line
}

// commit is the commit of the checkout, with a plus sign if files differ from it.
func commit() string {
	out, err := exec.Command("git", "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		return "unknown"
	}
	text := strings.TrimSpace(string(out))
	if exec.Command("git", "diff", "--quiet", "HEAD").Run() != nil {
		text += "+"
	}
	return text
}
