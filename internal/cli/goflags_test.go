package cli

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestParseGo takes command lines apart: what is presage's own, what the go command's.
func TestParseGo(t *testing.T) {
	type want struct {
		Flags, Packages, Args, Dir, Out, Instrument, Level string
		JSON, Help                                         bool
		Window                                             int
	}
	for _, test := range []struct {
		sub, line string
		want      want
	}{
		{"test", "", want{}},
		{"test", "./...", want{Packages: "./..."}},
		{"test", "-v -run TestA -count=2 ./a ./b", want{Flags: "-v -run=TestA -count=2", Packages: "./a ./b"}},
		{"test", "-json -o t.trace -run -json ./a", want{Flags: "-run=-json", Packages: "./a", JSON: true, Out: "t.trace"}},
		{"test", "-C dir -tags x,y -timeout 5s -exec time .", want{Flags: "-C=dir -tags=x,y -timeout=5s -exec=time", Packages: ".", Dir: "dir"}},
		{"test", "--C=dir .", want{Flags: "--C=dir", Packages: ".", Dir: "dir"}},
		{"test", "./a -short -args -json x", want{Flags: "-short", Packages: "./a", Args: "-args -json x"}},
		{"test", "./a -update -json", want{Packages: "./a", Args: "-update -json"}},
		{"test", "-instrument a/... -instrument=b -level hb -window 500 .", want{Packages: ".", Instrument: "a/... b", Level: "hb", Window: 500}},
		{"test", "-json=false .", want{Packages: "."}},
		{"test", "-static all", want{Packages: "all"}},
		{"test", "-confirm ./off -q -confirm=off off", want{Packages: "./off off"}},
		{"run", "-q ./cmd/x off", want{Packages: "./cmd/x", Args: "off"}},
		{"test", "-h", want{Help: true}},
		{"run", "./cmd/x", want{Packages: "./cmd/x"}},
		{"run", "-tags t ./cmd/x -v y", want{Flags: "-tags=t", Packages: "./cmd/x", Args: "-v y"}},
		{"run", "-json ./cmd/x -- -json", want{Packages: "./cmd/x", Args: "-json", JSON: true}},
		{"run", "a.go b.go c", want{Packages: "a.go b.go", Args: "c"}},
		{"run", "-- x", want{Args: "x"}},
	} {
		g, err := parseGo(strings.Fields(test.line), test.sub == "test")
		if err != nil {
			t.Errorf("%s %s: %v", test.sub, test.line, err)
			continue
		}
		if test.want.Level == "" {
			test.want.Level = levelPath
		}
		join := func(s []string) string { return strings.Join(s, " ") }
		got := want{join(g.flags), join(g.packages), join(g.args), g.dir, g.out, join(g.instrument), g.level, g.json, g.help, g.window}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", test.sub, test.line, diff)
		}
	}
}

// TestParseGoErrors: what is wrong is a usage error that names the flag.
func TestParseGoErrors(t *testing.T) {
	for line, want := range map[string]string{
		"-race ./...":       "-race",
		"-run":              "-run needs a value",
		"-window many .":    `"many"`,
		"-window -3 .":      `"-3"`,
		"-level all .":      `"all"`,
		"-json=perhaps .":   `"perhaps"`,
		"-overlay=x.json .": "-overlay",
		"-c .":              "-c",
		"-coverprofile c .": "-coverprofile",
		"-confirm off .":    "did you mean -confirm=off?",
		"-confirm 2m .":     "did you mean -confirm=2m?",
		"--static likely .": "did you mean -static=likely?",
		"-static off":       "did you mean -static=off?",
		"-json off .":       "did you mean -json=false?",
		"-q true .":         "did you mean -q=true?",
		"-online false .":   "did you mean -online=false?",
		"-halt on .":        "did you mean -halt=true?",
		"-tme 1m .":         "did you mean -time?",
		"-tiem=1m .":        "did you mean -time?",
		"-exlude ./x .":     "did you mean -exclude?",
	} {
		_, err := parseGo(strings.Fields(line), true)
		var exit *exitError
		if !errors.As(err, &exit) || exit.code != exitUsage || !strings.Contains(exit.text, want) {
			t.Errorf("%s: error %v, want a usage error with %s", line, err, want)
		}
	}
	for arg, wrong := range map[string]bool{"example.com/x@v1.0.0": true, "example.com/x@latest": true, "./a@b": false, "/a@b": false, "a@b.go": false} {
		if _, err := parseGo([]string{arg}, false); (err != nil) != wrong {
			t.Errorf("run %s: error %v, want one: %v", arg, err, wrong)
		}
	}
	// flags of the test binary
	for _, own := range []string{"-update", "-config=x", "-mode=y", "-seed 3", "-i2", "-args -tme"} {
		if _, err := parseGo(append([]string{"."}, strings.Fields(own)...), true); err != nil {
			t.Errorf("%s: %v", own, err)
		}
	}
	if _, err := parseGo([]string{"-race=false", "."}, true); err != nil {
		t.Errorf("-race=false: %v", err)
	}
}

func TestGoStyle(t *testing.T) {
	for in, want := range map[string]string{
		"analyze -json -level=hb x": "analyze --json --level=hb x",
		"trace convert -o out x":    "trace convert -o out x",
		"analyze -- -json":          "analyze -- -json",
		"test -json ./...":          "test -json ./...",
	} {
		if got := strings.Join(goStyle(strings.Fields(in)), " "); got != want {
			t.Errorf("goStyle(%s) = %s, want %s", in, got, want)
		}
	}
}

// TestConfirmFlag: replays are on, with a budget, unless told otherwise.
func TestConfirmFlag(t *testing.T) {
	for line, want := range map[string]time.Duration{
		".": confirmRest, "-confirm .": confirmRest, "-confirm=on .": confirmRest, "-confirm=off .": 0, "-confirm=10m .": 10 * time.Minute,
	} {
		g, err := parseGo(strings.Fields(line), true)
		if err != nil || g.confirm != want || len(g.packages) != 1 {
			t.Errorf("%s: %v, packages %v, %v; want %v", line, g.confirm, g.packages, err, want)
		}
	}
	for _, line := range []string{"-confirm=often .", "-confirm=-1s ."} {
		if _, err := parseGo(strings.Fields(line), true); err == nil {
			t.Errorf("%s: no error", line)
		}
	}
}

// TestStaticFlag: -static takes no value from the next argument.
func TestStaticFlag(t *testing.T) {
	for line, want := range map[string]string{
		".": "", "-static .": "likely", "-static=likely .": "likely", "-static=possible .": "possible", "-static=all .": "unlikely", "-static=off .": "",
	} {
		g, err := parseGo(strings.Fields(line), true)
		if err != nil || g.static != want || len(g.packages) != 1 {
			t.Errorf("%s: %q, packages %v, %v; want %q", line, g.static, g.packages, err, want)
		}
	}
	if _, err := parseGo([]string{"-static=sure", "."}, true); err == nil {
		t.Error("-static=sure is accepted")
	}
}
