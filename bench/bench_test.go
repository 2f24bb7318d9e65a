// Package bench has no code of its own: its commands are the directories beside this file. Its test
// runs their help.
package bench

import (
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// others are the directories that are no command with subcommands.
var others = map[string]bool{"internal": true, "programs": true, "results": true}

// TestHelp: every command lists its subcommands, and every subcommand prints its flags and names a
// package with a doc.
func TestHelp(t *testing.T) {
	dirs, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	build := []string{"build", "-o", bin + "/"}
	var commands []string
	for _, d := range dirs {
		if d.IsDir() && !others[d.Name()] {
			commands = append(commands, d.Name())
			build = append(build, "./"+d.Name())
		}
	}
	if out, err := exec.Command("go", build...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, c := range commands {
		t.Run(c, func(t *testing.T) { helps(t, bin, c) })
	}
}

var subcommand = regexp.MustCompile(`(?m)^\t([a-z0-9]+)  +\S`)

// helps checks the help of one command.
func helps(t *testing.T, bin, command string) {
	name := filepath.Join(bin, command)
	out, err := exec.Command(name, "help").CombinedOutput()
	if err != nil {
		t.Errorf("%s help: %v\n%s", command, err, out)
		return
	}
	doc := packageDoc(t, filepath.Join(command, "main.go"))
	subs := subcommand.FindAllStringSubmatch(string(out), -1)
	if len(subs) < 2 {
		t.Errorf("%s help lists no subcommands:\n%s", command, out)
	}
	for _, m := range subs {
		sub := m[1]
		if !strings.Contains(doc, "\t"+sub+" ") {
			t.Errorf("the doc of command %s does not name %s", command, sub)
		}
		out, err := exec.Command(name, "help", sub).CombinedOutput()
		usage := "usage: go -C bench run ./" + command + " " + sub + " "
		if err != nil || !strings.HasPrefix(string(out), usage) || !strings.Contains(string(out), "says what is measured") {
			t.Errorf("%s help %s: %v\n%s", command, sub, err, out)
			continue
		}
		where := regexp.MustCompile(`go -C bench doc \./(\S+)"`).FindSubmatch(out)
		if text, err := exec.Command("go", "doc", "./"+string(where[1])).CombinedOutput(); err != nil || !strings.Contains(string(text), "go -C bench run ./"+command+" "+sub) {
			t.Errorf("the doc of %s has no example of %s %s: %v\n%s", where[1], command, sub, err, text)
		}
	}
}

func packageDoc(t *testing.T, name string) string {
	f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		t.Fatal(err)
	}
	return f.Doc.Text()
}
