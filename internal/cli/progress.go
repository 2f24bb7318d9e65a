package cli

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/presage-race/presage/internal/host/stage"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

// progress shows what is being done: a bar on a terminal; elsewhere one line when a
// step begins, if it is not over quickly.
type progress struct {
	mu    sync.Mutex // searches run side by side
	w     io.Writer
	bar   *progressbar.ProgressBar
	tty   bool
	quiet bool
	text  string
	begun time.Time
	told  bool
	until time.Time // when what is being done is over at the latest; zero: it is not known

	stages stage.List // a step begins one
}

// slow is how long a step may take without being mentioned where there is no terminal.
const slow = 3 * time.Second

func newProgress(w io.Writer, quiet bool) *progress {
	f := asFile(w)
	return &progress{w: w, quiet: quiet, tty: f != nil && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"}
}

// step says that text is done up to done of total; total 0 is unknown.
func (p *progress) step(m report.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := stageOf(m.Text); s != "" && m.Text != p.text {
		p.stages.Begin(s)
	}
	if p.quiet {
		return
	}
	if m.Text != p.text {
		p.clear()
		p.text, p.begun, p.told = m.Text, time.Now(), false
		if p.tty {
			p.bar = progressbar.NewOptions64(max(m.Total, -1), progressbar.OptionSetWriter(p.w), progressbar.OptionSetDescription("presage: "+visible.Line(m.Text)),
				progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSetWidth(30))
			if m.Total == 0 {
				p.bar.ChangeMax64(-1)
			}
		}
	}
	switch {
	case p.bar != nil:
		if left := p.left(); left != "" {
			p.bar.Describe("presage: " + visible.Line(m.Text) + left)
		}
		p.bar.Set64(m.Done)
	case !p.told && time.Since(p.begun) > slow:
		visible.Fprintf(p.w, "presage: %s%s …\n", p.text, p.left())
		p.told = true
	}
}

// say prints a line of its own. A bar goes on below it.
func (p *progress) say(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.quiet {
		return
	}
	if p.bar != nil {
		p.bar.Clear()
	}
	visible.Fprintf(p.w, "presage: %s\n", line)
}

// left says how much time is left at most.
func (p *progress) left() string {
	if p.until.IsZero() {
		return ""
	}
	return fmt.Sprintf(", %v left at most", max(0, time.Until(p.until)).Round(time.Second))
}

// end removes the bar.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

func (p *progress) clear() {
	if p.bar != nil {
		p.bar.Clear()
		p.bar = nil
	}
	p.text = ""
}
