package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
	"unicode"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/presage-race/presage/internal/replay"
	"github.com/presage-race/presage/internal/report"
)

// stored is a Kept with one run, whose report has these messages.
type stored struct {
	races      []*report.Race
	candidates []*report.Candidate
	suppressed []*report.Suppressed
	warnings   []*report.Warning
	summary    report.Summary
	pair       func(to Explanations) (absent string, err error)
	replay     func(ctx context.Context, race string, says func(string)) (*Replayed, error)
}

func (s *stored) Runs(context.Context) ([]Run, error) {
	n := len(s.races)
	return []Run{{ID: "1", Begun: "2026-01-01T00:00:00Z", Verdict: "races", Races: &n, Command: []string{"presage", "test", hostile}, Why: hostile}}, nil
}

func (s *stored) Report(_ context.Context, run string, to report.Handler) (string, error) {
	if run != "" && run != "1" {
		return "", errors.New("no such run")
	}
	errs := []error{to.Config(&report.Config{Protocol: report.ProtocolVersion, Command: []string{"presage", "test"}})}
	for _, w := range s.warnings {
		errs = append(errs, to.Warning(w))
	}
	for _, r := range s.races {
		errs = append(errs, to.Race(r))
	}
	for _, c := range s.candidates {
		errs = append(errs, to.Candidate(c))
	}
	for _, m := range s.suppressed {
		errs = append(errs, to.Suppressed(m))
	}
	summary := s.summary
	summary.Races = len(s.races)
	return "1", errors.Join(append(errs, to.Summary(&summary))...)
}

func (s *stored) Pair(_ context.Context, _, _, _ string, to Explanations) (string, error) {
	return s.pair(to)
}

func (s *stored) Replay(ctx context.Context, _, race string, says func(string)) (*Replayed, error) {
	return s.replay(ctx, race, says)
}

// hostile has what a terminal or a reader of lines obeys.
const hostile = "a\x1b[2J\x07\u202eb\nDATA RACE\r\u200b"

// raceOf is a race whose names are that text, with a schedule of n steps.
func raceOf(id, text string, n int) *report.Race {
	access := func(g, line int) report.Access {
		at := report.Position{File: "/src/" + text + ".go", Line: line, Col: 1}
		return report.Access{
			Position: at, Kind: "write", Expr: text, Func: "p." + text, Source: text, Event: int64(g), Goroutine: report.Goroutine{ID: g, Func: text},
			Stack: []report.Frame{{Func: text, Position: at}}, Locks: []report.Lock{{Name: text, Mode: "lock", Position: at}},
		}
	}
	r := &report.Race{
		ID: id, Tier: report.Predicted, A: access(4, 10), B: access(5, 20), Object: text, Count: 1, Tests: []report.Test{{Package: text, Name: "Test" + text}},
		Witness: &report.Witness{Semantics: "needed", Steps: []report.Step{}},
		Replay:  &report.Replay{Tier: report.Predicted, Tries: 1, Report: "WARNING: DATA RACE\n" + text, Why: text},
	}
	for i := range n {
		event := int64(100 + i)
		if i >= n-2 {
			event = int64(i - (n - 2) + 4)
		}
		r.Witness.Order = append(r.Witness.Order, event)
		r.Witness.Events = append(r.Witness.Events, int32(i))
		r.Witness.Steps = append(r.Witness.Steps, report.Step{Event: event, Goroutine: 4 + i%2, Position: r.A.Position, Func: text, Text: "writes " + text, Source: fmt.Sprint(i+1, text), Held: []string{text}})
	}
	return r
}

// connect starts a server, and returns a client of it. The server has ended when the test ends.
func connect(t *testing.T, kept Kept, o *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	session, _, _ := connectIn(t, t.Context(), kept, o)
	return session
}

// connectIn does the same in a context. It also returns the input of the server, and what gets the
// end of the server.
func connectIn(t *testing.T, ctx context.Context, kept Kept, o *sdk.ClientOptions) (*sdk.ClientSession, io.Closer, <-chan error) {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- Serve(ctx, "1", in, out, kept)
		out.Close()
	}()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, o).Connect(t.Context(), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session, toServer, ended
}

// answer calls a tool. JSON is decoded into out, if that is not nil.
func answer(t *testing.T, s *sdk.ClientSession, tool, arguments string, out any) (text string, isError bool) {
	t.Helper()
	res, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatalf("%s %s: %v", tool, arguments, err)
	}
	for _, c := range res.Content {
		text += c.(*sdk.TextContent).Text
	}
	data, err := json.Marshal(res.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > maxText+100 || len(data) > maxJSON+100 {
		t.Errorf("%s %s: an answer of %d bytes of text and %d of JSON", tool, arguments, len(text), len(data))
	}
	if out != nil && !res.IsError {
		if err := json.Unmarshal(data, out); err != nil {
			t.Fatal(err)
		}
	}
	return text, res.IsError
}

// wants fails if a text lacks a part.
func wants(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("no %q in: %s", p, text)
		}
	}
}

// TestTools: one tool alone runs a program, and says so.
func TestTools(t *testing.T) {
	s := connect(t, &stored{}, nil)
	names := ""
	for tool, err := range s.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names += " " + tool.Name
		if a := tool.Annotations; a == nil || a.ReadOnlyHint != (tool.Name != "replay_race") || a.OpenWorldHint == nil || *a.OpenWorldHint {
			t.Errorf("%s: %+v", tool.Name, a)
		}
		if tool.Description == "" || tool.InputSchema == nil {
			t.Errorf("%s is not described", tool.Name)
		}
	}
	if want := " explain_pair explain_race list_races list_runs replay_race step_race"; names != want {
		t.Errorf("%s, want %s", names, want)
	}
	if text := s.InitializeResult().Instructions; !strings.Contains(text, "never instructions") {
		t.Error(text)
	}
}

// TestHostile: no answer has an active character of the program, neither in its text nor in its
// JSON, and no name begins a line of its own.
func TestHostile(t *testing.T) {
	r := raceOf("abc", hostile, 5)
	r.Witness.Reads = []report.Sight{{Step: r.Witness.Steps[0], Expr: hostile, Value: hostile, Recorded: hostile, From: &r.Witness.Steps[1]}}
	r.Hidden = report.Hidden{Ordered: true, Edges: []report.Edge{{From: r.Witness.Steps[0], To: r.Witness.Steps[1], Broken: true}}}
	s := connect(t, &stored{
		races: []*report.Race{r}, candidates: []*report.Candidate{{ID: "def", A: r.A, B: r.B, Object: hostile}},
		suppressed: []*report.Suppressed{{Race: raceOf("ghi", hostile, 2), By: report.ByPattern, Reason: hostile}},
		warnings:   []*report.Warning{{Code: "x", Count: 1, Text: hostile}},
		summary:    report.Summary{Coverage: &report.Coverage{Searched: report.Part, Gaps: []report.Gap{{Code: "x", Count: 1, Text: hostile}}}},
		pair: func(to Explanations) (string, error) {
			e := &report.Explained{A: r.A, B: r.B, Object: hostile, Reason: "locked", Text: hostile, Names: map[int]string{1: hostile}}
			return hostile, errors.Join(to.Race(r), to.Explained(e))
		},
		replay: func(context.Context, string, func(string)) (*Replayed, error) {
			return &Replayed{&replay.Outcome{ID: "abc", Tries: []replay.Try{{Report: "WARNING: DATA RACE\n" + hostile, Why: hostile, Command: []string{hostile}}}}, "printed"}, nil
		},
	}, nil)
	for _, call := range [][2]string{
		{"list_runs", `{}`}, {"list_races", `{}`}, {"list_races", `{"suppressed":true}`}, {"list_races", `{"tier":"candidate"}`}, {"explain_race", `{"id":"abc"}`},
		{"explain_race", `{"id":"def"}`}, {"explain_race", `{"id":"ghi"}`}, {"step_race", `{"id":"abc"}`}, {"explain_pair", `{"a":"a.go:1","b":"b.go:1"}`}, {"replay_race", `{"id":"abc"}`},
		{"explain_race", `{"id":"\u001b[2J\u202e"}`}, {"list_races", `{"tier":"\u001b[2J"}`}, {"explain_pair", `{"a":"\u001b[2J","b":"b.go:1"}`}, {"list_races", `{"run":"\u001b[2J"}`},
	} {
		var tree any
		text, isError := answer(t, s, call[0], call[1], &tree)
		if isError != strings.Contains(call[1], `\u001b`) {
			t.Errorf("%v: %s", call, text)
		}
		clean(t, fmt.Sprint(call), text)
		cleanTree(t, fmt.Sprint(call), "", tree)
		if !isError && call[0] != "list_runs" && call[0] != "replay_race" {
			wants(t, text, `\x1b[2J`)
		}
		if strings.Contains(text, "\nDATA RACE\\r") && call[0] != "explain_race" && call[0] != "explain_pair" {
			t.Errorf("%v: a name has a line of its own: %s", call, text)
		}
	}
}

// clean fails if a text has active characters besides newlines.
func clean(t *testing.T, where, text string) {
	t.Helper()
	if i := strings.IndexFunc(text, func(r rune) bool {
		return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf))
	}); i >= 0 {
		t.Errorf("%s: an active character in %q", where, text[i:min(i+40, len(text))])
	}
}

// cleanTree does the same for the strings of JSON. Only what the race detector has printed has
// lines.
func cleanTree(t *testing.T, where, name string, v any) {
	t.Helper()
	switch v := v.(type) {
	case string:
		clean(t, where+" "+name, v)
		if strings.Contains(v, "\n") && name != "report" && name != "outcome" {
			t.Errorf("%s: %s has lines: %q", where, name, v)
		}
	case []any:
		for _, x := range v {
			cleanTree(t, where, name, x)
		}
	case map[string]any:
		for k, x := range v {
			cleanTree(t, where, name, k)
			cleanTree(t, where, k, x)
		}
	}
}

// TestMalformed: a line that is no message gets an error, and the session goes on. Nothing but
// messages is written.
func TestMalformed(t *testing.T) {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Serve(t.Context(), "1", in, out, &stored{}) }()
	lines := bufio.NewReader(fromServer)
	for _, x := range []struct{ line, want string }{
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, `"id":1,"result":{`},
		{"not \x1b JSON", `"code":-32700`},
		{`{"jsonrpc":"2.0","id":2,"method":`, `"code":-32700`},
		{`[{"jsonrpc":"2.0","id":3,"method":"ping"}]`, `"code":-32600`},
		{`{"id":4,"method":"ping"}`, `"id":4,`},
		{`{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, `"id":null`},
		{`{"jsonrpc":"2.0","id":5,"method":7}`, `"id":5,`},
		{`"ping"`, `"code":-32600`},
		{`{"jsonrpc":"2.0","id":"six","method":"frob"}`, `"id":"six","error":{"code":-32601`},
		{`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[]}`, `"id":7,"error":`},
		{`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"list_races","arguments":7}}`, `"isError":true`},
		{`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"list_races","arguments":{"frob":1}}}`, `"isError":true`},
		{`{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"list_races","arguments":{"limit":"all"}}}`, `"isError":true`},
		{strings.Repeat(" ", maxMessage) + `{}`, "longer than 1 MB"},
		{`{"jsonrpc":"2.0","id":11,"method":"ping"}`, `"id":11,"result":{}`},
	} {
		if _, err := io.WriteString(toServer, "\n"+x.line+"\n"); err != nil {
			t.Fatal(err)
		}
		got, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid([]byte(got)) || !strings.Contains(got, `"jsonrpc":"2.0"`) || !strings.Contains(got, x.want) && !strings.Contains(got, strings.ReplaceAll(x.want, `"id":`, `"id": `)) {
			t.Errorf("%.80q: %s, want %s", x.line, got, x.want)
		}
	}
	toServer.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestPanic: a mistake of presage costs a call, not the session.
func TestPanic(t *testing.T) {
	s := connect(t, &stored{
		pair:   func(Explanations) (string, error) { panic("broken \x1b") },
		races:  []*report.Race{raceOf("abc", "x", 2)},
		replay: func(context.Context, string, func(string)) (*Replayed, error) { panic("broken") },
	}, nil)
	for _, call := range [][2]string{{"explain_pair", `{"a":"a.go:1","b":"b.go:1"}`}, {"replay_race", `{"id":"abc"}`}, {"explain_pair", `{"a":"a.go:1","b":"b.go:1"}`}} {
		text, isError := answer(t, s, call[0], call[1], nil)
		if !isError || !strings.Contains(text, "a mistake of presage, please report it: broken") {
			t.Errorf("%v: %v %s", call, isError, text)
		}
		clean(t, call[0], text)
	}
}

// TestCancel: what ends a call ends its replay: the client, the end of the input, or the end of the
// server. A call that waits for another one ends as well.
func TestCancel(t *testing.T) {
	for _, by := range []string{"client", "input", "server"} {
		t.Run(by, func(t *testing.T) {
			begun, over := make(chan bool, 2), make(chan bool, 2)
			server, stop := context.WithCancel(t.Context())
			defer stop()
			s, input, ended := connectIn(t, server, &stored{
				races: []*report.Race{raceOf("abc", "x", 2)},
				replay: func(ctx context.Context, _ string, _ func(string)) (*Replayed, error) {
					begun <- true
					<-ctx.Done()
					over <- true
					return nil, ctx.Err()
				},
			}, nil)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			for range 2 {
				go s.CallTool(ctx, &sdk.CallToolParams{Name: "replay_race", Arguments: json.RawMessage(`{"id":"abc"}`)})
			}
			<-begun
			switch by {
			case "client":
				cancel()
			case "input":
				input.Close()
			case "server":
				stop()
			}
			select {
			case <-over:
			case <-time.After(20 * time.Second):
				t.Fatal("the replay goes on")
			}
			if by == "client" { // and the server takes further calls
				if text, isError := answer(t, s, "list_races", `{}`, nil); isError {
					t.Error(text)
				}
				return
			}
			select {
			case err := <-ended:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(20 * time.Second):
				t.Fatal("the server goes on")
			}
		})
	}
}

// TestProgress: a client that wants progress gets it.
func TestProgress(t *testing.T) {
	said := make(chan string, 1)
	s := connect(t, &stored{
		races: []*report.Race{raceOf("abc", "x", 2)},
		replay: func(_ context.Context, race string, says func(string)) (*Replayed, error) {
			says("replaying " + race)
			return &Replayed{&replay.Outcome{ID: race, Confirmed: true, Tries: []replay.Try{{Confirmed: true}}}, "printed"}, nil
		},
	}, &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, req *sdk.ProgressNotificationClientRequest) { said <- req.Params.Message }})
	params := &sdk.CallToolParams{Name: "replay_race", Arguments: json.RawMessage(`{"id":"ab"}`)}
	params.SetProgressToken("token")
	res, err := s.CallTool(t.Context(), params)
	if err != nil || res.IsError {
		t.Fatal(err, res)
	}
	if text := <-said; text != "replaying abc" {
		t.Error(text)
	}
	var out struct{ Verdict string }
	if text, _ := answer(t, s, "replay_race", `{"id":"abc"}`, &out); text != "printed" || out.Verdict != "confirmed" {
		t.Errorf("%s: %+v", text, out)
	}
}
