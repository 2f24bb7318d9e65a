package report

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

// The page: its frame, its style, and its script in the order in which the parts are joined.
//
//go:embed html
var htmlFiles embed.FS

var htmlScripts = []string{"dom.js", "data.js", "board.js", "picture.js", "finding.js", "list.js", "page.js"}

// htmlHandler writes one page for a browser, which needs no other file.
//
// The page has the report twice. The script draws a table and pictures from data (page.go). Where
// no script runs, a list has the text of the findings. The script makes all text by text nodes, and
// the policy of the page allows this one script and this one style, and nothing else.
type htmlHandler struct {
	gathered
	guards []string
}

// NewHTML returns a Handler that writes a page with a picture of each race.
func NewHTML(w io.Writer, o TextOptions) Handler { return &htmlHandler{gathered: gathered{w: w, o: o}} }

// Config keeps what made the report. The names of files are relative to its directory, wherever the
// page is made.
func (h *htmlHandler) Config(m *Config) error {
	if m.Dir != "" {
		h.o.Dir = m.Dir
	}
	return h.gathered.Config(m)
}

// Race keeps a race, and the lines of what the race detector has reported.
func (h *htmlHandler) Race(m *Race) error {
	f := visible.Copy(m.finding())
	if m.Replay != nil {
		f.Replay.Report = visible.Text(m.Replay.Report)
	}
	h.findings = append(h.findings, f)
	return nil
}

// Guard keeps a suggestion as text.
func (h *htmlHandler) Guard(m *Guard) error {
	var b strings.Builder
	err := newTextHandler(&b, TextOptions{Dir: h.o.Dir}).Guard(m)
	h.guards = append(h.guards, b.String())
	return err
}

// Summary writes all of the report.
func (h *htmlHandler) Summary(m *Summary) error {
	page := h.page(m)
	data, err := json.Marshal(page) // it escapes < and >
	if err != nil {
		return err
	}
	style, script := htmlParts()
	out := strings.NewReplacer(
		"{{policy}}", html.EscapeString(HTMLPolicy()),
		"{{title}}", html.EscapeString("presage: "+page.Title),
		"{{style}}", style,
		"{{script}}", script,
		"{{plain}}", h.plain(page, htmlPlainSize-len(data)),
		"{{data}}", string(data),
	).Replace(htmlFile("page.html"))
	_, err = io.WriteString(h.w, out)
	return err
}

func htmlFile(name string) string {
	data, err := htmlFiles.ReadFile("html/" + name)
	if err != nil {
		panic("report: the page lacks a part: " + err.Error())
	}
	// a browser takes its hashes of lines without carriage returns
	return strings.ReplaceAll(string(data), "\r\n", "\n")
}

// htmlParts are the style and the script of the page.
func htmlParts() (style, script string) {
	var b strings.Builder
	b.WriteString("\"use strict\";\n")
	for _, name := range htmlScripts {
		b.WriteString(htmlFile(name))
	}
	return htmlFile("page.css"), b.String()
}

// HTMLPolicy is the Content-Security-Policy of the page: its script and its style run, by their
// hashes. Nothing is loaded, and no text becomes part of the document but as text.
func HTMLPolicy() string {
	style, script := htmlParts()
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; script-src " + hash(script) + "; style-src " + hash(style) + "; img-src data:; " +
		"base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
}

const (
	// htmlPlainSize bounds the data and the plain list together, in bytes.
	htmlPlainSize = 4 << 20
	// htmlPlainText bounds the text of one finding in the plain list.
	htmlPlainText = 16 << 10
	// htmlLeastText is less than any text has.
	htmlLeastText = 100
)

// plain is the report for browsers without the script: a table, then the text of each finding. It
// says what does not fit into left bytes.
func (h *htmlHandler) plain(page *htmlPage, left int) string {
	esc := html.EscapeString
	var b strings.Builder
	fmt.Fprintf(&b, "<h1>presage: %s</h1>\n<p>%s</p>\n", esc(page.Title), esc(strings.ReplaceAll(page.Outcome, "presage: ", "")))
	b.WriteString("<p>The pictures of this page need JavaScript. This is the report as text.</p>\n")
	b.WriteString(h.plainTable())
	texts, skipped := h.plainTexts(left - b.Len())
	if skipped > 0 {
		fmt.Fprintf(&b, "<p>%s</p>\n", plural.Text(skipped, "The text of {{n}} finding{{|s}} is left out, to keep this page small; presage report -v prints {{it|them}}."))
	}
	for _, w := range page.Warnings {
		fmt.Fprintf(&b, "<p>Not covered: %s</p>\n", esc(w))
	}
	for _, g := range h.guards {
		fmt.Fprintf(&b, "<pre>%s</pre>\n", esc(g))
	}
	return b.String() + texts
}

func (h *htmlHandler) plainTable() string {
	if len(h.findings) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("<table><thead><tr><th>proof<th>on<th>one access<th>other access<th>test<th>ID</thead>\n")
	esc := func(s string) string { return html.EscapeString(clip(s, htmlShort)) }
	place := func(a *Access) string { return esc(a.Kind + " " + h.place(a.Position)) }
	for n, f := range h.findings {
		fmt.Fprintf(&b, "<tr><td>%s<td><a href=\"#plain-%d\">%s</a><td>%s<td>%s<td>%s<td><code>%s</code>\n",
			esc(f.level()), n+1, esc(nameOf(f.Object, &f.A)), place(&f.A), place(&f.B), esc(f.testNames()), esc(f.ID))
	}
	b.WriteString("</table>\n")
	return b.String()
}

// plainTexts has the texts of the findings that fit into left bytes, and the number of others.
func (h *htmlHandler) plainTexts(left int) (texts string, skipped int) {
	var b strings.Builder
	for n, f := range h.findings {
		if b.Len()+htmlLeastText > left {
			skipped++
			continue
		}
		text := h.whole(f)
		if over := len(text) - htmlPlainText; over > 0 {
			text = strings.ToValidUTF8(text[:htmlPlainText], "") + fmt.Sprintf("\n\n… and %s of text, which presage report -v prints", plural.Of(over, "byte"))
		}
		text = fmt.Sprintf("<h2 id=\"plain-%d\">%s</h2>\n<pre>%s</pre>\n", n+1, html.EscapeString(clip(nameOf(f.Object, &f.A), htmlShort)), html.EscapeString(text))
		if b.Len()+len(text) > left {
			skipped++
			continue
		}
		b.WriteString(text)
	}
	return b.String(), skipped
}
