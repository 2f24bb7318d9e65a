package command

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
)

func TestHelp(t *testing.T) {
	subs := []Sub{{"one", "the first", nil}, {"other", "the second", nil}}
	tests := []struct {
		args []string
		code int
		want string // in what is printed
	}{
		{nil, 2, "other       the second"},
		{[]string{"help"}, 0, "one         the first"},
		{[]string{"-h"}, 0, "go -C bench run ./some SUBCOMMAND"},
		{[]string{"third"}, 2, `no subcommand "third"`},
		{[]string{"one"}, 2, "the working directory is not bench"},
	}
	for _, tt := range tests {
		var out bytes.Buffer
		if code := run("some", "two things", subs, tt.args, &out, &out); code != tt.code || !strings.Contains(out.String(), tt.want) {
			t.Errorf("%q: exit code %d, printed\n%s", tt.args, code, out.String())
		}
	}
}

// TestRun: a subcommand gets the arguments after its name.
func TestRun(t *testing.T) {
	t.Chdir("../..")
	var got []string
	subs := []Sub{{"one", "the first", func(args []string) int { got = args; return 1 }}, {"within", "", nil}}
	if code := run("some", "", subs, []string{"one", "-n", "1"}, nil, nil); code != 1 || strings.Join(got, " ") != "-n 1" {
		t.Errorf("exit code %d, arguments %q", code, got)
	}
	var out bytes.Buffer
	if run("some", "", subs, nil, nil, &out); strings.Contains(out.String(), "within") {
		t.Errorf("an inner subcommand is in the help:\n%s", out.String())
	}
}

func TestOnly(t *testing.T) {
	for _, tt := range []struct {
		only, name string
		want       bool
	}{{"", "zap", true}, {"zap", "go.uber.org/zap", true}, {"x/,zap", "golang.org/x/sync", true}, {"x/,zap", "cobra", false}} {
		f := Flags("some one", "")
		only := Only(f, "modules")
		if err := f.Parse([]string{"-only", tt.only}); err != nil {
			t.Fatal(err)
		}
		if got := only.Match(tt.name); got != tt.want {
			t.Errorf("-only %q takes %q: %v", tt.only, tt.name, got)
		}
	}
}

func TestFigures(t *testing.T) {
	f := Flags("some one", "")
	figures := FiguresFlag(f)
	var out bytes.Buffer
	figures.out = &out
	figures.Print("unasked", Count(1, "races"))
	if out.Len() > 0 {
		t.Errorf("without the flag: %s", out.String())
	}
	if err := f.Parse([]string{"-benchfmt"}); err != nil {
		t.Fatal(err)
	}
	figures.Print("a/level=hb", Figure{1.5, "cpu-s"}, Count(7, "races"))
	figures.Print("b c", Count(1_234_567, "missed pairs"))
	r := benchfmt.NewReader(&out, "figures")
	var got []string
	for r.Scan() {
		x, ok := r.Result().(*benchfmt.Result)
		if !ok {
			t.Fatal(r.Result())
		}
		if x.GetConfig("commit") == "" || x.GetConfig("date") == "" || !strings.HasPrefix(x.GetConfig("command"), "go -C bench run ./some") {
			t.Errorf("configuration %v", x.Config)
		}
		line := string(x.Name)
		for _, v := range x.Values {
			line += fmt.Sprint(" ", v.Value, " ", v.Unit)
		}
		got = append(got, line)
	}
	want := []string{"One/a/level=hb 1.5 cpu-s 7 races", "One/b_c 1.234567e+06 missed-pairs"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
