package cli

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// mentions reports whether a text explains a flag.
func mentions(text, flag string) bool {
	return regexp.MustCompile(`(^|[ (\[])-` + regexp.QuoteMeta(flag) + `([ =;:,.\]]|$)`).MatchString(strings.ReplaceAll(text, "\n", " "))
}

// defines reports whether a line of a text begins with a flag.
func defines(text, flag string) bool {
	return regexp.MustCompile(`(?m)^ +-` + regexp.QuoteMeta(flag) + `\b`).MatchString(text)
}

// TestHelp: each command has a help, which explains each of its flags or leaves it to the help for
// developers, and none twice. The first screen is short, and no line is wide.
func TestHelp(t *testing.T) {
	developer := helpText("developer")
	explained := func(command, flag string) {
		own := mentions(helpText(command), flag)
		if developers := defines(developer, flag); own == developers {
			t.Errorf("presage help %s explains -%s: %v; presage help developer: %v", command, flag, own, developers)
		}
	}
	for _, command := range newRoot(&Env{}).Commands() {
		if command.Name() == "help" || command.Hidden {
			continue
		}
		if helpText(command.Name()) == "" {
			t.Errorf("presage help %s: no text", command.Name())
		}
		for _, c := range append([]*cobra.Command{command}, command.Commands()...) {
			c.LocalFlags().VisitAll(func(f *pflag.Flag) {
				name := f.Name
				if f.Shorthand != "" {
					name = f.Shorthand
				}
				if name != "h" && name != "help" {
					explained(command.Name(), name)
				}
			})
		}
	}
	for _, command := range []string{"test", "run"} {
		for _, flag := range ownFlags {
			explained(command, flag)
		}
	}
	if n := strings.Count(helpText("presage"), "\n") + 1; n > 24 {
		t.Errorf("the first screen has %d lines", n)
	}
	files, err := fs.Glob(helpTexts, "help/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no texts", err)
	}
	for _, file := range files {
		text, _ := fs.ReadFile(helpTexts, file)
		for line := range strings.Lines(string(text)) {
			if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > 100 || strings.Contains(line, "\t") {
				t.Errorf("%s: a wide line: %s", file, line)
			}
		}
	}
}

// TestOwnFlags: the flags that presage takes for itself are those of the list.
func TestOwnFlags(t *testing.T) {
	values := map[string]string{"level": "hb", "format": "csv", "reach": "kept", "baseline": "f", "new": "HEAD", "disk": "25%", "memory": "25%", "time": "1m", "filter": "none", "ignore": "x", "after": "x", "exitcode": "0", "window": "1", "budget": "1", "effort": "1"}
	for _, flag := range slices.Concat(boolFlags, valueFlags) {
		var g goArgs
		own, err := g.own(flag, values[flag], values[flag] != "")
		if err != nil {
			t.Errorf("-%s: %v", flag, err)
		}
		if own != slices.Contains(ownFlags, flag) {
			t.Errorf("-%s is presage's own: %v", flag, own)
		}
	}
}
