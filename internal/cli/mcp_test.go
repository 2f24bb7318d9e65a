package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/report"
)

// served starts presage mcp with arguments, and returns a client of it.
func served(t *testing.T, args ...string) *sdk.ClientSession {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	code := make(chan int, 1)
	var stderr bytes.Buffer
	go func() {
		code <- Main(t.Context(), Env{Args: append([]string{"mcp"}, args...), Stdin: in, Stdout: out, Stderr: &stderr})
		out.Close()
	}()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		session.Close()
		if c := <-code; c != exitNone || stderr.Len() > 0 {
			t.Errorf("exit code %d: %s", c, &stderr)
		}
	})
	return session
}

// asked is the text of an answer. An error begins with "error: ".
func asked(t *testing.T, s *sdk.ClientSession, tool, arguments string) (text string) {
	t.Helper()
	res, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatal(err)
	}
	if res.IsError {
		text = "error: "
	}
	for _, c := range res.Content {
		text += c.(*sdk.TextContent).Text
	}
	return text
}

// racing makes a finished run of a module in dir, with one race in each of two files. The second
// one has a witness.
func racing(t *testing.T, cache, id, dir string) {
	t.Helper()
	of := filepath.Join(cache, "runs", id)
	if err := os.MkdirAll(of, 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(of, record.ReportFile), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h := report.NewJSON(f)
	if err := h.Config(&report.Config{Protocol: report.ProtocolVersion, Dir: dir, Command: []string{"presage", "test"}}); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"a", "b"} {
		at := report.Position{File: filepath.Join(dir, name+".go"), Line: 10 + i}
		r := &report.Race{ID: strings.Repeat(name, 12), Tier: report.Observed, A: report.Access{Position: at, Kind: "write", Event: 1}, B: report.Access{Position: at, Kind: "read", Event: 2}, Object: name}
		if name == "b" {
			r.Witness = &report.Witness{Order: []int64{1, 2}, Steps: []report.Step{}}
		}
		if err := h.Race(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Summary(&report.Summary{Races: 2, Observed: 2, ExitCode: exitRaces, Coverage: &report.Coverage{Searched: report.Whole}}); err != nil {
		t.Fatal(err)
	}
}

// TestMCP: the tools work on the runs of one module, as the other commands do: presage.yaml counts,
// also if it is written meanwhile, and a later run becomes the last one.
func TestMCP(t *testing.T) {
	cache, here, other := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("PRESAGE_CACHE", cache)
	t.Setenv("GOWORK", "")
	t.Chdir(other)
	for _, dir := range []string{here, other} {
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module x\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := served(t, "-dir", here)
	if text, want := asked(t, s, "list_races", `{}`), "error: no run of the module in "+here+" is kept: presage test ./..."; !strings.HasPrefix(text, want) {
		t.Errorf("%s, want %s", text, want)
	}
	racing(t, cache, "20260101T000001.000-1", other)
	if text := asked(t, s, "list_races", `{"run":"20260101T000001"}`); !strings.Contains(text, "error: run 20260101T000001.000-1 is of the module in "+other) {
		t.Error(text)
	}
	racing(t, cache, "20260101T000002.000-1", here)
	if text, want := asked(t, s, "list_runs", `{}`), "20260101T000002.000-1  races, 2 races  presage test\n"; text != want {
		t.Errorf("%q, want %q", text, want)
	}
	want := "run 20260101T000002.000-1\npresage: 2 races found: 2 observed, 0 predicted; 0 events, 0 goroutines, analysed in 0.0s\n\n" +
		"aaaaaaaaaaaa (observed) on a\n  write at a.go:10: \n  read at a.go:10: \n" +
		"bbbbbbbbbbbb (observed) on b\n  write at b.go:11: \n  read at b.go:11: \n"
	if text := asked(t, s, "list_races", `{}`); text != want {
		t.Errorf("%s, want %s", text, want)
	}
	if text := asked(t, s, "replay_race", `{"id":"a"}`); !strings.HasPrefix(text, "error: race aaaaaaaaaaaa cannot be replayed: ") {
		t.Error(text)
	}
	if text := asked(t, s, "replay_race", `{"id":"b"}`); !strings.HasPrefix(text, "error: race bbbbbbbbbbbb was not replayed: the trace of the race is not in ") {
		t.Error(text)
	}
	if text := asked(t, s, "explain_pair", `{"a":"a.go:1","b":"b.go:1"}`); text != "error: run 20260101T000002.000-1 has no trace" {
		t.Error(text)
	}
	config := filepath.Join(here, "presage.yaml")
	for yaml, want := range map[string]string{"ignore: a.go\n": "1 race is suppressed (argument suppressed lists it)\n\nbbbbbbbbbbbb", "ignoer: a\n": "error: presage.yaml:1: unknown key"} {
		if err := os.WriteFile(config, []byte(yaml), 0o600); err != nil {
			t.Fatal(err)
		}
		if text := asked(t, s, "list_races", `{}`); !strings.Contains(text, want) || strings.Contains(text, "aaaaaaaaaaaa (") {
			t.Errorf("%s: %s, want %s", yaml, text, want)
		}
	}
	if err := os.Remove(config); err != nil {
		t.Fatal(err)
	}
	racing(t, cache, "20260101T000003.000-1", here)
	if text := asked(t, s, "explain_race", `{"id":"b"}`); !strings.HasPrefix(text, "DATA RACE (observed) on b") {
		t.Error(text)
	}
	if text := asked(t, s, "list_races", `{}`); !strings.HasPrefix(text, "run 20260101T000003.000-1\n") {
		t.Error(text)
	}
	runAt(t, cache, "20260101T000003.000-1", here, nil) // without a summary
	if text := asked(t, s, "list_races", `{}`); !strings.HasPrefix(text, "error: run 20260101T000003.000-1 is damaged: ") {
		t.Error(text)
	}
}

// TestMCPReleases: a server that lives long holds no run, and no file.
func TestMCPReleases(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it counts the open files in /proc")
	}
	cache, here := t.TempDir(), t.TempDir()
	t.Setenv("PRESAGE_CACHE", cache)
	t.Setenv("GOWORK", "")
	t.Chdir(here)
	racing(t, cache, "20260101T000001.000-1", here)
	s := served(t)
	open := func() int {
		files, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	calls := func() {
		for _, c := range [][2]string{{"list_races", `{}`}, {"explain_race", `{"id":"a"}`}, {"step_race", `{"id":"a","run":"2026"}`}, {"explain_pair", `{"a":"a.go:1","b":"b.go:1"}`}, {"replay_race", `{"id":"b"}`}} {
			asked(t, s, c[0], c[1])
		}
	}
	calls()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it closes files that nobody holds
	before := open()
	for range 5 {
		calls()
	}
	if after := open(); after > before {
		t.Errorf("%d open files, %d after 25 calls", before, after)
	}
}

// TestChooseExact: an ID that is the beginning of another one is taken for itself.
func TestChooseExact(t *testing.T) {
	k := &kept{races: []*report.Race{{ID: "abc-2"}, {ID: "abc"}}}
	for id, want := range map[string]string{"abc": "abc", "abc-": "abc-2", "ab": "abc-2"} {
		races, err := k.choose([]string{id}, false)
		if err != nil || races[0].ID != want {
			t.Errorf("%s: %v %v", id, races, err)
		}
	}
}
