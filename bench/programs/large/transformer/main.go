// Command transformer makes a site of HTML pages from many Markdown files, as xalan transforms many
// documents: workers share one goldmark.Markdown, the index of the site, its templates, a cache of
// rendered fragments, and statistics. An observer looks at them while they work.
//
// It has one known race: a worker that fails notes the last error without a lock, and the observer
// reads it without one.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

func main() {
	files := flag.Int("files", 12, "documents")
	sections := flag.Int("sections", 3, "sections of each")
	workers := flag.Int("workers", 4, "goroutines that transform")
	flag.Parse()
	dir, err := os.MkdirTemp("", "transformer")
	if err == nil {
		err = run(dir, *files, *sections, *workers)
		err = errors.Join(err, os.RemoveAll(dir))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(dir string, files, sections, workers int) error {
	if err := generate(dir, files, sections); err != nil {
		return err
	}
	s := newSite(dir)
	names, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		return err
	}
	work := make(chan string, workers)
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for name := range work {
				if err := s.transform(name); err != nil {
					s.lastError = fmt.Sprint(filepath.Base(name), ": ", err)
					s.stats.failed.Add(1)
				}
			}
		}()
	}
	end := make(chan struct{})
	seen := make(chan int)
	go s.observe(end, seen)
	for _, name := range names {
		work <- name
	}
	close(work)
	wg.Wait()
	close(end)
	fmt.Printf("%d observations, last error %q\n", <-seen, s.lastError)
	return s.finish()
}

// words are what the documents are made of.
var words = strings.Fields("race lock order thread trace value path branch read write event window model proof schedule fork join channel wait signal memory cache index")

// generate writes documents that link to each other. Two have no title.
func generate(dir string, files, sections int) error {
	seed := uint32(7)
	next := func(n int) int {
		seed = seed*1664525 + 1013904223
		return int(seed>>8) % n
	}
	sentence := func() string {
		var b strings.Builder
		for i := range 6 + next(8) {
			if i > 0 {
				b.WriteByte(' ')
			}
			switch w := words[next(len(words))]; next(9) {
			case 0:
				b.WriteString("*" + w + "*")
			case 1:
				b.WriteString("`" + w + "`")
			case 2:
				fmt.Fprintf(&b, "[%s](doc%d.md)", w, next(files))
			default:
				b.WriteString(w)
			}
		}
		return b.String() + "."
	}
	for i := range files {
		var b strings.Builder
		if i%5 != 4 {
			fmt.Fprintf(&b, "# Document %d\n\n", i)
		}
		for j := range sections {
			fmt.Fprintf(&b, "## Section %d\n\n%s %s\n\n- %s\n- %s\n\n", j, sentence(), sentence(), sentence(), sentence())
			fmt.Fprintf(&b, "| a | b |\n|---|---|\n| %s | %d |\n\n> %s\n\n", words[next(len(words))], next(100), sentence())
			if j%2 == 0 {
				fmt.Fprintf(&b, "{{shared%d}}\n\n", next(3))
			}
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("doc%d.md", i)), []byte(b.String()), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// site is what all workers share.
type site struct {
	dir string
	md  goldmark.Markdown

	mu        sync.RWMutex
	pages     map[string]*page
	links     map[string][]string // from, by target
	lastError string

	fragments fragments
	templates templates
	stats     statistics
	out       output
}

type page struct {
	name, title string
	headings    []string
	size        int
	mu          sync.Mutex
	visits      int // links that lead here
}

// statistics are counted by all workers.
type statistics struct {
	pages, failed, bytes atomic.Int64
	largest              atomic.Int64

	mu    sync.Mutex
	kinds map[string]int // of nodes
	took  time.Duration
}

// fragments are pieces of HTML that several documents include.
type fragments struct {
	mu    sync.Mutex
	html  map[string]*fragment
	asked int
}

type fragment struct {
	once sync.Once
	html template.HTML
	made int
}

// templates are parsed when the first page is written.
type templates struct {
	once   sync.Once
	layout *template.Template
	uses   atomic.Int32
}

// output has the pages in the order in which they are done.
type output struct {
	mu    sync.Mutex
	names []string
	bytes int
}

func newSite(dir string) *site {
	md := goldmark.New(
		goldmark.WithExtensions(extension.GFM, extension.Footnote),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithRendererOptions(html.WithXHTML()),
	)
	return &site{dir: dir, md: md, pages: make(map[string]*page), links: make(map[string][]string),
		fragments: fragments{html: make(map[string]*fragment)}, stats: statistics{kinds: make(map[string]int)}}
}

// transform makes the page of one document.
func (s *site) transform(name string) error {
	begin := time.Now()
	source, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	base := filepath.Base(name)
	doc := s.md.Parser().Parse(text.NewReader(source))
	p, err := s.enter(base, doc, source)
	if err != nil {
		return err
	}
	var body bytes.Buffer
	if err := s.md.Renderer().Render(&body, source, doc); err != nil {
		return err
	}
	html, err := s.include(body.String())
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := s.templates.get().Execute(&b, map[string]any{"Page": p, "Title": p.title, "Body": html, "Headings": p.headings}); err != nil {
		return err
	}
	p.size = b.Len()
	s.count(p, time.Since(begin))
	s.out.add(base, b.Len())
	return os.WriteFile(strings.TrimSuffix(name, ".md")+".html", b.Bytes(), 0o600)
}

// enter notes a document, its headings and its links.
func (s *site) enter(base string, doc ast.Node, source []byte) (*page, error) {
	p := &page{name: base}
	kinds := make(map[string]int)
	var targets []string
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		kinds[n.Kind().String()]++
		switch n := n.(type) {
		case *ast.Heading:
			title := string(n.Lines().Value(source))
			if n.Level == 1 {
				p.title = title
			}
			p.headings = append(p.headings, title)
		case *ast.Link:
			targets = append(targets, string(n.Destination))
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.pages[base] = p
	for _, t := range targets {
		s.links[t] = append(s.links[t], base)
	}
	s.mu.Unlock()
	for _, t := range targets {
		s.visit(t)
	}
	s.stats.mu.Lock()
	for k, n := range kinds {
		s.stats.kinds[k] += n
	}
	s.stats.mu.Unlock()
	if p.title == "" {
		return nil, errors.New("no title")
	}
	return p, nil
}

// visit counts a link to a page that is there already.
func (s *site) visit(target string) {
	s.mu.RLock()
	p := s.pages[target]
	s.mu.RUnlock()
	if p == nil {
		return
	}
	p.mu.Lock()
	p.visits++
	p.mu.Unlock()
}

// include puts the shared fragments in.
func (s *site) include(body string) (template.HTML, error) {
	for {
		i := strings.Index(body, "{{")
		if i < 0 {
			return template.HTML(body), nil
		}
		j := strings.Index(body[i:], "}}")
		if j < 0 {
			return "", errors.New("an inclusion has no end")
		}
		f := s.fragments.get(body[i+2 : i+j])
		f.once.Do(func() { f.make(s.md, body[i+2:i+j]) })
		body = body[:i] + string(f.html) + body[i+j+2:]
	}
}

func (f *fragments) get(name string) *fragment {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	x := f.html[name]
	if x == nil {
		x = &fragment{}
		f.html[name] = x
	}
	return x
}

func (f *fragment) make(md goldmark.Markdown, name string) {
	var b bytes.Buffer
	if err := md.Convert([]byte("**"+name+"** is included.\n"), &b); err == nil {
		f.html = template.HTML(b.String())
	}
	f.made++
}

const layout = `<html><head><title>{{.Title}}</title></head><body>
<ul>{{range .Headings}}<li>{{.}}</li>{{end}}</ul>
{{.Body}}
</body></html>
`

func (t *templates) get() *template.Template {
	t.once.Do(func() { t.layout = template.Must(template.New("layout").Parse(layout)) })
	t.uses.Add(1)
	return t.layout
}

func (s *site) count(p *page, took time.Duration) {
	s.stats.pages.Add(1)
	s.stats.bytes.Add(int64(p.size))
	for {
		old := s.stats.largest.Load()
		if int64(p.size) <= old || s.stats.largest.CompareAndSwap(old, int64(p.size)) {
			break
		}
	}
	s.stats.mu.Lock()
	s.stats.took += took
	s.stats.mu.Unlock()
}

func (o *output) add(name string, n int) {
	o.mu.Lock()
	o.names = append(o.names, name)
	o.bytes += n
	o.mu.Unlock()
}

// observe looks at the site from time to time.
func (s *site) observe(end <-chan struct{}, seen chan<- int) {
	n := 0
	for {
		select {
		case <-end:
			seen <- n
			return
		case <-time.After(3 * time.Millisecond):
		}
		s.mu.RLock()
		pages := len(s.pages)
		s.mu.RUnlock()
		s.out.mu.Lock()
		done := len(s.out.names)
		s.out.mu.Unlock()
		if s.lastError != "" { // the known race
			n++
		}
		if pages >= done && s.stats.largest.Load() >= 0 && s.stats.bytes.Load() >= 0 {
			n++
		}
	}
}

// finish writes the table of contents.
func (s *site) finish() error {
	var b strings.Builder
	sort.Strings(s.out.names)
	for _, n := range s.out.names {
		p := s.pages[n]
		fmt.Fprintf(&b, "%s: %s, %d headings, %d bytes, %d links here\n", n, p.title, len(p.headings), p.size, len(s.links[n]))
	}
	fmt.Printf("%d pages, %d failed, %d bytes, largest %d, %d kinds of nodes, %d fragments asked, layout used %d times\n",
		s.stats.pages.Load(), s.stats.failed.Load(), s.stats.bytes.Load(), s.stats.largest.Load(), len(s.stats.kinds), s.fragments.asked, s.templates.uses.Load())
	return os.WriteFile(filepath.Join(s.dir, "contents.txt"), []byte(b.String()), 0o600)
}
