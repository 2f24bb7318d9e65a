// Package page opens pages of reports (-format html) in Chromium.
package page

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/presage-race/presage/internal/report"
)

// nasty is text that would run, turn text around or be long if it were taken for more than text.
var nasty = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(1)>${alert(1)}{{data}}\u202eevil\u2066 " + strings.Repeat("long", 200)

const (
	findings  = 500
	longSteps = 10000
)

// write writes a report of 500 findings. Each 50th has a schedule of 10000 steps, and one of its
// steps is ordered behind another one in the recorded run.
func write(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	h := report.NewHTML(&out, report.TextOptions{Dir: "/src"})
	h.Config(&report.Config{Protocol: report.ProtocolVersion, Tool: "presage", Version: "devel", Command: []string{"presage", "test", nasty}, Dir: "/src"})
	h.Warning(&report.Warning{Code: "x", Count: 1, Text: nasty})
	for i := range findings {
		h.Race(race(i))
	}
	if err := h.Summary(&report.Summary{Races: findings, Predicted: findings}); err != nil {
		t.Fatal(err)
	}
	if n := out.Len(); n > 5<<20 {
		t.Errorf("the page has %d bytes", n)
	}
	t.Logf("%d bytes", out.Len())
	name := filepath.Join(t.TempDir(), "page.html")
	os.WriteFile("/tmp/h/hostile.html", out.Bytes(), 0o666)
	if err := os.WriteFile(name, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// race is number i. Goroutine 2 writes under a lock, and goroutine 3 locks it after that.
func race(i int) *report.Race {
	tiers := []report.Tier{report.Confirmed, report.Observed, report.Predicted}
	n := 8
	if i%50 == 0 {
		n = longSteps
	}
	at := func(line int) report.Position {
		return report.Position{File: fmt.Sprintf("/src/pkg%d/file%d%s.go", i%7, i, nasty), Line: line, Col: 2}
	}
	var steps []report.Step
	step := func(event int64, g int, text string, line int) report.Step {
		return report.Step{Event: event, Goroutine: g, Position: at(line), Func: "p.f" + nasty, Text: text, Source: fmt.Sprintf("line%d(%s)", line, nasty)}
	}
	texts := []string{"locks mu", "unlocks mu", "sends on " + nasty, "receives from ch"}
	for k := range n - 2 {
		steps = append(steps, step(int64(k), 4+k%7, texts[k%4], k%100))
	}
	write, read := int64(n), int64(n+10)
	steps = append(steps, step(write, 2, "writes x", 7), step(read, 3, "reads x", 8))
	access := func(kind string, g int, event int64, line int) report.Access {
		p := at(line)
		frame := report.Frame{Func: "p.Test" + nasty, Position: p}
		return report.Access{Position: p, Kind: kind, Expr: "x", Func: fmt.Sprintf("example.com/p%d.f", i%7), Event: event, Source: nasty, Locks: []report.Lock{},
			Goroutine: report.Goroutine{ID: g, Func: nasty, Parent: 1, Created: []report.Frame{frame}}, Stack: []report.Frame{frame}}
	}
	r := &report.Race{
		ID: fmt.Sprintf("race%d", i), Tier: tiers[i%3], Object: fmt.Sprintf("x%d %s", i, nasty), A: access("write", 2, write, 7), B: access("read", 3, read, 8),
		Hidden:  report.Hidden{Ordered: true, Edges: []report.Edge{{From: step(write+1, 2, "unlocks mu", 9), To: step(write+5, 3, "locks mu", 10), Broken: true}}},
		Witness: &report.Witness{Semantics: "needed", Order: []int64{write, read}, Steps: steps},
		Count:   1, Replay: &report.Replay{Tier: report.Predicted, Report: "WARNING\n" + nasty},
	}
	r.Witness.Reads = []report.Sight{{Step: steps[1], Expr: "y", Value: nasty, Recorded: "1"}}
	return r
}

// browser is a tab, with what should not happen in it.
type browser struct {
	ctx  context.Context
	t    *testing.T
	mu   sync.Mutex
	odd  []string
	load []string // addresses
}

func open(t *testing.T) *browser {
	t.Helper()
	name := ""
	for _, known := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(known); err == nil {
			name = path
			break
		}
	}
	if name == "" {
		t.Skip("skipped: 1 test of the page in a browser; no Chromium is installed")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(name), chromedp.NoSandbox, chromedp.WindowSize(1400, 900))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &browser{ctx: ctx, t: t}
	if err := chromedp.Listen(ctx, b.event); err != nil {
		t.Fatal(err)
	}
	call(b, log.Enable, cdp.Empty{})
	call(b, network.Enable, network.EnableParams{})
	call(b, runtime.Enable, cdp.Empty{})
	return b
}

func call[P, R any](b *browser, command cdp.Command[P, R], params P) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, command, params); err != nil {
		b.t.Fatal(err)
	}
}

func (b *browser) event(ev any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := ev.(type) {
	case *runtime.EventConsoleAPICalled:
		b.odd = append(b.odd, fmt.Sprintf("console: %s", e.Type))
	case *runtime.EventExceptionThrown:
		b.odd = append(b.odd, fmt.Sprintf("exception: %s, line %d", e.ExceptionDetails.Text, e.ExceptionDetails.LineNumber))
	case *log.EventEntryAdded: // also of the policy
		b.odd = append(b.odd, fmt.Sprintf("log: %s", e.Entry.Text))
	case *page.EventJavascriptDialogOpening:
		b.odd = append(b.odd, fmt.Sprintf("dialog: %s", e.Message))
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, "data:") {
			b.load = append(b.load, e.Request.URL)
		}
	}
}

// clean reports what should not have happened: nothing is loaded but the page, so many times.
func (b *browser) clean(pages int) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, odd := range b.odd {
		b.t.Error(odd)
	}
	if len(b.load) != pages {
		b.t.Errorf("loaded %q, want %d pages", b.load, pages)
	}
}

func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// press presses keys, by their names.
func (b *browser) press(keys ...string) {
	b.t.Helper()
	codes := map[string]int64{"Enter": 13, "Escape": 27, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
	for _, key := range keys {
		down := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: key, WindowsVirtualKeyCode: codes[key]}
		switch {
		case key == "Enter":
			down.Text = "\r"
		case codes[key] == 0:
			down.Text = key
		}
		call(b, input.DispatchKeyEvent, down)
		call(b, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyUp, Key: key, WindowsVirtualKeyCode: codes[key]})
	}
}

// want waits for an expression to have a value.
func want[T comparable](b *browser, expression string, value T) {
	b.t.Helper()
	var got T
	for range 100 {
		var err error
		if got, err = chromedp.Run(b.ctx, chromedp.Evaluate[T](expression)); err != nil {
			b.t.Fatalf("%s: %v", expression, err)
		}
		if got == value {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	b.t.Errorf("%s is %v, want %v", expression, got, value)
}

// TestPage uses the page as a reader does, with the keyboard and once with the mouse.
func TestPage(t *testing.T) {
	name := write(t)
	b := open(t)
	const tries = 5 // the machine may be busy
	best := 1e9
	for range tries {
		b.do(chromedp.Navigate("file://" + name))
		took, err := chromedp.Run(b.ctx, chromedp.Evaluate[float64]("performance.getEntriesByType('navigation')[0].loadEventEnd"))
		if err != nil {
			t.Fatal(err)
		}
		best = min(best, took)
	}
	t.Logf("open after %.0f ms", best)
	if best > 1000 {
		t.Errorf("open after %.0f ms", best)
	}
	const rows = "document.querySelectorAll('.findings tbody tr').length"
	want(b, rows, findings)
	want(b, "document.images.length + document.querySelectorAll('[onerror], body script:not(#data):not(:last-of-type)').length", 0)

	t.Run("search and filters", func(*testing.T) {
		b.press("/", "x", "1", "7", " ", "w", "r", "i", "t", "e")
		want(b, rows, 11) // 17, 170 and so on
		b.press("Escape")
		want(b, rows, findings)
		b.press("/", "r", "a", "c", "e", "4", "9", "9")
		want(b, rows, 1)
		b.press("Escape")
		b.do(chromedp.Click(chromedp.CSS("button.tier.observed")))
		want(b, rows, findings-167)
		b.do(chromedp.Click(chromedp.CSS("button.tier.observed")), chromedp.SetValue(chromedp.CSS("select"), "1"))
		want(b, "document.querySelector('select').dispatchEvent(new Event('change'))", true)
		want(b, rows, 72)
		b.do(chromedp.SetValue(chromedp.CSS("select"), ""))
		want(b, "document.querySelector('select').dispatchEvent(new Event('change'))", true)
		want(b, rows, findings)
	})
	const slider = "document.querySelector('.slider').valueAsNumber"
	const boards = "document.querySelectorAll('.board').length"
	t.Run("steps", func(*testing.T) {
		want(b, "document.activeElement.blur()", any(nil))
		b.press("j", "j", "Enter")
		want(b, "document.querySelector('.count').textContent", "2 of 500")
		b.press("k")
		want(b, "location.hash", "#race0")
		want(b, slider, longSteps+1) // and the two ends of the order
		b.press("ArrowLeft", "ArrowLeft", "ArrowRight")
		want(b, slider, longSteps)
		b.press("Home")
		want(b, slider, 0)
		b.press("ArrowDown")
		want(b, slider, 1)
		want(b, "document.querySelector('.inspector .more').textContent.includes('sees')", true)
		want(b, "document.querySelectorAll('.card').length < 100", true)
	})
	t.Run("break the order", func(*testing.T) {
		want(b, boards, 1)
		b.do(chromedp.Click(chromedp.CSS("button.break")))
		want(b, boards, 2)
		want(b, "document.querySelectorAll('.arrow.broken').length", 1)
		want(b, slider, longSteps-2) // the two accesses are one step
		want(b, "[...document.querySelectorAll('.meet')].map((e) => e.textContent).join()", "race")
		b.press("b")
		want(b, boards, 1)
		b.press("b")
		want(b, boards, 2)
	})
	t.Run("views", func(*testing.T) {
		b.press("j")
		want(b, "location.hash", "#race3") // the next confirmed one
		b.press("?")
		want(b, "document.querySelector('dialog').open", true)
		b.press("Escape")
		want(b, "document.querySelector('dialog').open", false)
		b.press("Escape")
		want(b, rows, findings)
		for _, theme := range []string{"light", "dark", "auto"} {
			b.do(chromedp.Click(chromedp.CSS(".bar button")))
			want(b, "document.documentElement.dataset.theme", theme)
		}
	})
	t.Run("without the script", func(*testing.T) {
		call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		b.do(chromedp.Reload())
		shown, err := chromedp.Run(b.ctx, chromedp.Text(chromedp.CSS("noscript")))
		if err != nil || !strings.Contains(shown, "DATA RACE (confirmed) on x9 ") || !strings.Contains(shown, "Not covered: </script>") {
			t.Errorf("%v: %.2000s", err, shown)
		}
	})
	b.clean(tries + 1)
}
