// Command webserver is a small shop behind a fasthttp server, as jigsaw is a web server: handlers
// share sessions, a cache of pages, the stock, a rate limiter and statistics. Clients of fasthttp
// in the same process ask it over TCP.
//
// It is built with version 1.57.0 of fasthttp, which has a known race: Server.ShutdownWithContext
// writes Server.done, which RequestCtx.Done reads, and nothing orders the two if a request is still
// under way.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

func main() {
	clients := flag.Int("clients", 4, "goroutines that ask")
	requests := flag.Int("requests", 60, "requests of each")
	flag.Parse()
	if err := run(*clients, *requests); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(clients, requests int) error {
	s := newShop()
	server := &fasthttp.Server{Handler: s.handle, Name: "shop", IdleTimeout: 200 * time.Millisecond, ReadTimeout: time.Second,
		ErrorHandler: func(*fasthttp.RequestCtx, error) { s.stats.errors.Add(1) }}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(ln) }()

	var wg sync.WaitGroup
	failed := make(chan error, clients)
	c := &fasthttp.HostClient{Addr: ln.Addr().String(), MaxConns: clients + 1}
	for i := range clients {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := ask(c, i, requests); err != nil {
				failed <- err
			}
		}()
	}
	stop := make(chan struct{})
	looked := make(chan int)
	go s.look(stop, looked)
	wg.Wait()
	close(stop)
	fmt.Printf("looked %d times; %v\n", <-looked, s)

	// A request is still under way when the server stops waiting for it.
	slow := make(chan error, 1)
	go func() { slow <- get(c, "/slow", "", nil) }()
	<-s.slowly
	late, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()
	if err = server.ShutdownWithContext(late); errors.Is(err, context.DeadlineExceeded) {
		err = nil
	}
	c.CloseIdleConnections()
	err = errors.Join(err, <-slow, <-served)
	select {
	case one := <-failed:
		err = errors.Join(err, one)
	default:
	}
	return err
}

// shop is what all handlers share.
type shop struct {
	sessions sessions
	pages    pages
	stock    stock
	limiter  limiter
	stats    statistics
	slowly   chan struct{}
}

// sessions are in shards.
type sessions struct {
	shards [4]shard
	made   atomic.Int64
}

type shard struct {
	mu   sync.Mutex
	byID map[string]*session
}

type session struct {
	mu     sync.Mutex
	user   string
	basket map[string]int
	last   time.Time
	seen   int
}

// pages caches what was rendered.
type pages struct {
	mu     sync.RWMutex
	byPath map[string]*rendered
	hits   atomic.Int64
	misses int // under mu
}

type rendered struct {
	once sync.Once
	body string
	size int
}

// stock has the goods.
type stock struct {
	mu    sync.RWMutex
	left  map[string]int
	sold  int
	total int64
}

// limiter counts the requests of each second.
type limiter struct {
	mu     sync.Mutex
	second int64
	count  int
	most   int
}

type statistics struct {
	requests, errors, bytes atomic.Int64

	mu     sync.Mutex
	byPath map[string]int
	slow   time.Duration
}

var goods = []string{"lock", "fence", "barrier", "queue", "clock", "window"}

func newShop() *shop {
	s := &shop{stock: stock{left: make(map[string]int)}, pages: pages{byPath: make(map[string]*rendered)},
		stats: statistics{byPath: make(map[string]int)}, slowly: make(chan struct{}, 1)}
	for i := range s.sessions.shards {
		s.sessions.shards[i].byID = make(map[string]*session)
	}
	for _, g := range goods {
		s.stock.left[g] = 1000
	}
	return s
}

func (s *sessions) shard(id string) *shard {
	h := fnv.New32a()
	h.Write([]byte(id))
	return &s.shards[h.Sum32()%uint32(len(s.shards))]
}

func (s *sessions) get(id string) *session {
	d := s.shard(id)
	d.mu.Lock()
	defer d.mu.Unlock()
	x := d.byID[id]
	if x == nil {
		x = &session{user: "user " + id, basket: make(map[string]int)}
		d.byID[id] = x
		s.made.Add(1)
	}
	return x
}

// handle is the handler of all requests.
func (s *shop) handle(ctx *fasthttp.RequestCtx) {
	begin := time.Now()
	s.stats.requests.Add(1)
	path := string(ctx.Path())
	if !s.limiter.allow(begin.Unix()) {
		ctx.Error("too many", fasthttp.StatusTooManyRequests)
		return
	}
	switch {
	case path == "/buy":
		s.buy(ctx)
	case path == "/basket":
		s.basket(ctx)
	case strings.HasPrefix(path, "/page/"):
		s.page(ctx, path)
	case path == "/upload":
		n := len(ctx.PostBody())
		ctx.SetBodyString(strconv.Itoa(n))
	case path == "/slow":
		s.slowly <- struct{}{}
		time.Sleep(15 * time.Millisecond)
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
		ctx.SetBodyString("done")
	default:
		ctx.Error("no such page", fasthttp.StatusNotFound)
	}
	s.stats.bytes.Add(int64(len(ctx.Response.Body())))
	s.stats.note(path, time.Since(begin))
}

func (l *limiter) allow(now int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now != l.second {
		l.second, l.count = now, 0
	}
	l.count++
	l.most = max(l.most, l.count)
	return l.count < 100000
}

func (s *statistics) note(path string, took time.Duration) {
	s.mu.Lock()
	s.byPath[path]++
	s.slow = max(s.slow, took)
	s.mu.Unlock()
}

func (s *shop) buy(ctx *fasthttp.RequestCtx) {
	what := string(ctx.QueryArgs().Peek("what"))
	n, err := strconv.Atoi(string(ctx.QueryArgs().Peek("n")))
	if err != nil {
		ctx.Error(err.Error(), fasthttp.StatusBadRequest)
		return
	}
	if !s.stock.take(what, n) {
		ctx.Error("sold out", fasthttp.StatusConflict)
		return
	}
	x := s.sessions.get(string(ctx.Request.Header.Cookie("id")))
	x.mu.Lock()
	x.basket[what] += n
	x.last = time.Now()
	x.seen++
	x.mu.Unlock()
	ctx.SetBodyString("bought")
}

func (s *stock) take(what string, n int) bool {
	s.mu.RLock()
	left := s.left[what]
	s.mu.RUnlock()
	if left < n {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left[what] < n {
		return false
	}
	s.left[what] -= n
	s.sold += n
	s.total += int64(n) * int64(len(what))
	return true
}

func (s *shop) basket(ctx *fasthttp.RequestCtx) {
	x := s.sessions.get(string(ctx.Request.Header.Cookie("id")))
	x.mu.Lock()
	defer x.mu.Unlock()
	x.seen++
	for _, g := range goods {
		if n := x.basket[g]; n > 0 {
			fmt.Fprintf(ctx, "%s: %d\n", g, n)
		}
	}
}

func (s *shop) page(ctx *fasthttp.RequestCtx, path string) {
	s.pages.mu.RLock()
	p := s.pages.byPath[path]
	s.pages.mu.RUnlock()
	if p == nil {
		s.pages.mu.Lock()
		if p = s.pages.byPath[path]; p == nil {
			p = &rendered{}
			s.pages.byPath[path] = p
			s.pages.misses++
		}
		s.pages.mu.Unlock()
	} else {
		s.pages.hits.Add(1)
	}
	p.once.Do(func() { p.render(path) })
	ctx.SetContentType("text/html")
	ctx.SetBodyString(p.body)
}

func (p *rendered) render(path string) {
	var b strings.Builder
	for i := range 8 {
		fmt.Fprintf(&b, "<p>%s %d: %s</p>\n", path, i, goods[i%len(goods)])
	}
	p.body = b.String()
	p.size = b.Len()
}

// look reads what the handlers share, while they work.
func (s *shop) look(stop <-chan struct{}, looked chan<- int) {
	n := 0
	for {
		select {
		case <-stop:
			looked <- n
			return
		case <-time.After(3 * time.Millisecond):
		}
		s.stock.mu.RLock()
		sold := s.stock.sold
		s.stock.mu.RUnlock()
		s.stats.mu.Lock()
		kinds := len(s.stats.byPath)
		s.stats.mu.Unlock()
		if sold >= 0 && kinds >= 0 && s.stats.requests.Load() >= s.stats.errors.Load() && s.stats.bytes.Load() >= 0 {
			n++
		}
	}
}

func (s *shop) String() string {
	s.stock.mu.RLock()
	defer s.stock.mu.RUnlock()
	return fmt.Sprintf("%d requests, %d sessions, %d sold for %d, %d hits, %d misses, %d kinds, at most %d a second",
		s.stats.requests.Load(), s.sessions.made.Load(), s.stock.sold, s.stock.total, s.pages.hits.Load(), s.pages.misses, len(s.stats.byPath), s.limiter.most)
}

// ask makes the requests of one client.
func ask(c *fasthttp.HostClient, id, requests int) error {
	seed := uint32(id + 1)
	for range requests {
		seed = seed*1664525 + 1013904223
		var err error
		cookie := strconv.Itoa(int(seed>>10) % 6)
		switch seed >> 8 & 3 {
		case 0:
			err = get(c, "/buy?what="+goods[int(seed>>16)%len(goods)]+"&n="+strconv.Itoa(int(seed>>20)%3+1), cookie, nil)
		case 1:
			err = get(c, "/basket", cookie, nil)
		case 2:
			err = get(c, "/page/"+strconv.Itoa(int(seed>>16)%5), cookie, nil)
		default:
			err = get(c, "/upload", cookie, []byte(strings.Repeat("x", int(seed>>16)%500)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func get(c *fasthttp.HostClient, uri, cookie string, body []byte) error {
	q, r := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(q)
	defer fasthttp.ReleaseResponse(r)
	q.SetRequestURI("http://" + c.Addr + uri)
	q.Header.SetCookie("id", cookie)
	if body != nil {
		q.Header.SetMethod(fasthttp.MethodPost)
		q.SetBody(body)
	}
	if err := c.Do(q, r); err != nil {
		return fmt.Errorf("%s: %w", uri, err)
	}
	if r.StatusCode() != fasthttp.StatusOK {
		return fmt.Errorf("%s: %d %s", uri, r.StatusCode(), r.Body())
	}
	return nil
}
