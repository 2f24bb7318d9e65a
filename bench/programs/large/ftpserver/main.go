// Command ftpserver is an FTP server with its files in memory, as the Apache ftpserver of the
// paper: sessions of goftp.io/server share the tree of files, the accounts, quotas, a journal and
// statistics. Clients of jlaffaye/ftp in the same process store, list, rename and fetch files.
//
// Version 2.0.3 of goftp.io/server has known races: Server.Serve writes the listener and the cancel
// function that Server.Shutdown reads.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jlaffaye/ftp"
	"goftp.io/server/v2"
)

func main() {
	clients := flag.Int("clients", 4, "goroutines with a session each")
	rounds := flag.Int("rounds", 26, "rounds of each")
	flag.Parse()
	if err := run(*clients, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(clients, rounds int) error {
	if err := probe(); err != nil {
		return err
	}
	d := newDisk()
	s, err := server.NewServer(&server.Options{
		Driver: d, Auth: &d.accounts, Perm: server.NewSimplePerm("owner", "group"), Logger: &d.journal,
		Hostname: "127.0.0.1", PublicIP: "127.0.0.1", WelcomeMessage: "hello",
	})
	if err != nil {
		return err
	}
	s.RegisterNotifer(&watcher{stats: &d.stats})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(ln) }()

	var wg sync.WaitGroup
	failed := make(chan error, clients)
	for i := range clients {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := session(ln.Addr().String(), i, rounds); err != nil {
				failed <- fmt.Errorf("client %d: %w", i, err)
			}
		}()
	}
	stop := make(chan struct{})
	looked := make(chan int)
	go d.look(stop, looked)
	wg.Wait()
	close(stop)
	fmt.Printf("looked %d times; %v\n", <-looked, d)
	err = s.Shutdown()
	if one := <-served; !errors.Is(one, server.ErrServerClosed) {
		err = errors.Join(err, one)
	}
	close(failed)
	for one := range failed {
		err = errors.Join(err, one)
	}
	return err
}

// probe starts a server without clients and shuts it down: the known races.
func probe() error {
	s, err := server.NewServer(&server.Options{Driver: newDisk(), Auth: &accounts{}, Perm: server.NewSimplePerm("owner", "group"), Logger: &server.DiscardLogger{}})
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(ln) }()
	time.Sleep(30 * time.Millisecond)
	err = s.Shutdown()
	ln.Close() // Shutdown may have come too early
	if one := <-served; !errors.Is(one, server.ErrServerClosed) && !errors.Is(one, net.ErrClosed) {
		err = errors.Join(err, one)
	}
	return err
}

// disk is what all sessions share.
type disk struct {
	mu   sync.RWMutex
	root *file

	accounts accounts
	journal  journal
	quota    quota
	stats    statistics
}

// file is a file or a directory. Its directory's lock protects its name; the tree's lock protects
// which files there are.
type file struct {
	name     string
	dir      bool
	children map[string]*file

	mu   sync.Mutex
	data []byte
	time time.Time
	gets int
}

// accounts are the users that log in.
type accounts struct {
	mu     sync.Mutex
	logins map[string]int
	last   string
	wrong  atomic.Int64
}

// journal has what was done.
type journal struct {
	mu       sync.Mutex
	lines    []string
	commands map[string]int
	dropped  int
}

// quota is how much the files of each user may have.
type quota struct {
	mu   sync.RWMutex
	used map[string]int64
	most int64
}

type statistics struct {
	puts, gets, lists, bytes atomic.Int64

	mu      sync.Mutex
	largest int64
	byExt   map[string]int
	first   sync.Once
	began   time.Time
}

func newDisk() *disk {
	return &disk{root: newDirectory("/"), accounts: accounts{logins: make(map[string]int)}, journal: journal{commands: make(map[string]int)},
		quota: quota{used: make(map[string]int64)}, stats: statistics{byExt: make(map[string]int)}}
}

func newDirectory(name string) *file {
	return &file{name: name, dir: true, children: make(map[string]*file), time: time.Now()}
}

// CheckPasswd is of server.Auth.
func (a *accounts) CheckPasswd(_ *server.Context, user, password string) (bool, error) {
	if password != "secret" {
		a.wrong.Add(1)
		return false, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.logins[user]++
	a.last = user
	return true, nil
}

// Print and those below are of server.Logger.
func (j *journal) Print(id string, message any) { j.note(fmt.Sprint(message)) }
func (j *journal) Printf(id, format string, v ...any) {
	j.note(fmt.Sprintf(format, v...))
}
func (j *journal) PrintResponse(id string, code int, message string) {
	if code >= 500 {
		j.note(message)
	}
}

func (j *journal) PrintCommand(id, command, params string) {
	j.mu.Lock()
	j.commands[command]++
	j.mu.Unlock()
}

func (j *journal) note(line string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.lines) >= 100 {
		j.dropped++
		return
	}
	j.lines = append(j.lines, line)
}

// watcher counts what sessions do.
type watcher struct {
	server.NullNotifier
	stats *statistics
}

func (w *watcher) AfterFilePut(_ *server.Context, name string, size int64, err error) {
	if err != nil {
		return
	}
	w.stats.first.Do(func() { w.stats.began = time.Now() })
	w.stats.puts.Add(1)
	w.stats.bytes.Add(size)
	w.stats.mu.Lock()
	w.stats.largest = max(w.stats.largest, size)
	w.stats.byExt[path.Ext(name)]++
	w.stats.mu.Unlock()
}

func (w *watcher) AfterFileDownloaded(_ *server.Context, _ string, size int64, err error) {
	if err == nil {
		w.stats.gets.Add(1)
	}
}

// find returns a file; the tree is locked.
func (d *disk) find(name string) (*file, error) {
	f := d.root
	for _, part := range strings.Split(strings.Trim(path.Clean("/"+name), "/"), "/") {
		if part == "" {
			continue
		}
		if !f.dir || f.children[part] == nil {
			return nil, os.ErrNotExist
		}
		f = f.children[part]
	}
	return f, nil
}

// parent returns the directory of a file.
func (d *disk) parent(name string) (*file, error) {
	p, err := d.find(path.Dir(path.Clean("/" + name)))
	if err == nil && !p.dir {
		err = os.ErrInvalid
	}
	return p, err
}

// info is an os.FileInfo.
type info struct {
	name string
	size int64
	dir  bool
	time time.Time
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) IsDir() bool        { return i.dir }
func (i info) ModTime() time.Time { return i.time }
func (i info) Sys() any           { return nil }
func (i info) Mode() os.FileMode {
	if i.dir {
		return os.ModeDir | 0o755
	}
	return 0o644
}

func (f *file) info() info {
	f.mu.Lock()
	defer f.mu.Unlock()
	return info{f.name, int64(len(f.data)), f.dir, f.time}
}

// Stat and those below are of server.Driver.
func (d *disk) Stat(_ *server.Context, name string) (os.FileInfo, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	f, err := d.find(name)
	if err != nil {
		return nil, err
	}
	return f.info(), nil
}

func (d *disk) ListDir(_ *server.Context, name string, each func(os.FileInfo) error) error {
	d.stats.lists.Add(1)
	d.mu.RLock()
	f, err := d.find(name)
	var all []info
	if err == nil {
		for _, c := range f.children {
			all = append(all, c.info())
		}
	}
	d.mu.RUnlock()
	for _, i := range all {
		if err == nil {
			err = each(i)
		}
	}
	return err
}

func (d *disk) remove(name string, dir bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, err := d.parent(name)
	if err != nil {
		return err
	}
	f := p.children[path.Base(name)]
	if f == nil || f.dir != dir || len(f.children) > 0 {
		return os.ErrInvalid
	}
	delete(p.children, path.Base(name))
	return nil
}

func (d *disk) DeleteDir(_ *server.Context, name string) error  { return d.remove(name, true) }
func (d *disk) DeleteFile(_ *server.Context, name string) error { return d.remove(name, false) }

func (d *disk) Rename(_ *server.Context, from, to string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, err := d.parent(from)
	if err != nil {
		return err
	}
	q, err := d.parent(to)
	if err != nil {
		return err
	}
	f := p.children[path.Base(from)]
	if f == nil {
		return os.ErrNotExist
	}
	delete(p.children, path.Base(from))
	f.mu.Lock()
	f.name = path.Base(to)
	f.mu.Unlock()
	q.children[path.Base(to)] = f
	return nil
}

func (d *disk) MakeDir(_ *server.Context, name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, err := d.parent(name)
	if err != nil {
		return err
	}
	if p.children[path.Base(name)] != nil {
		return os.ErrExist
	}
	p.children[path.Base(name)] = newDirectory(path.Base(name))
	return nil
}

func (d *disk) GetFile(_ *server.Context, name string, from int64) (int64, io.ReadCloser, error) {
	d.mu.RLock()
	f, err := d.find(name)
	d.mu.RUnlock()
	if err != nil {
		return 0, nil, err
	}
	f.mu.Lock()
	f.gets++
	data := bytes.Clone(f.data)
	f.mu.Unlock()
	from = min(from, int64(len(data)))
	return int64(len(data)) - from, io.NopCloser(bytes.NewReader(data[from:])), nil
}

func (d *disk) PutFile(ctx *server.Context, name string, r io.Reader, from int64) (int64, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return 0, err
	}
	if !d.quota.take(path.Dir(name), int64(len(data))) {
		return 0, errors.New("no space")
	}
	d.mu.Lock()
	p, err := d.parent(name)
	var f *file
	if err == nil {
		if f = p.children[path.Base(name)]; f == nil {
			f = &file{name: path.Base(name)}
			p.children[path.Base(name)] = f
		}
	}
	d.mu.Unlock()
	if err != nil {
		return 0, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if from < 0 || from > int64(len(f.data)) {
		from = 0
	}
	f.data = append(f.data[:from], data...)
	f.time = time.Now()
	return int64(len(data)), nil
}

func (q *quota) take(who string, n int64) bool {
	q.mu.RLock()
	used := q.used[who]
	q.mu.RUnlock()
	if used+n > 1<<20 {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.used[who] += n
	q.most = max(q.most, q.used[who])
	return true
}

// look reads what the sessions share, while they work.
func (d *disk) look(stop <-chan struct{}, looked chan<- int) {
	n := 0
	for {
		select {
		case <-stop:
			looked <- n
			return
		case <-time.After(3 * time.Millisecond):
		}
		d.quota.mu.RLock()
		most := d.quota.most
		d.quota.mu.RUnlock()
		d.stats.mu.Lock()
		largest := d.stats.largest
		d.stats.mu.Unlock()
		d.journal.mu.Lock()
		kinds := len(d.journal.commands)
		d.journal.mu.Unlock()
		if largest <= most && kinds >= 0 && d.stats.puts.Load() >= 0 && d.stats.bytes.Load() >= 0 {
			n++
		}
	}
}

func (d *disk) String() string {
	d.accounts.mu.Lock()
	defer d.accounts.mu.Unlock()
	return fmt.Sprintf("%d users, %d wrong, %d puts, %d gets, %d lists, %d bytes, largest %d",
		len(d.accounts.logins), d.accounts.wrong.Load(), d.stats.puts.Load(), d.stats.gets.Load(), d.stats.lists.Load(), d.stats.bytes.Load(), d.stats.largest)
}

// session is what one client does.
func session(addr string, id, rounds int) error {
	c, err := ftp.Dial(addr, ftp.DialWithTimeout(20*time.Second))
	if err != nil {
		return err
	}
	if err := c.Login(fmt.Sprint("user", id), "secret"); err != nil {
		return err
	}
	if err := c.MakeDir(fmt.Sprint("/u", id)); err != nil {
		return err
	}
	for i := range rounds {
		name := fmt.Sprintf("/u%d/f%d.txt", id, i%3)
		text := strings.Repeat(fmt.Sprintf("line of %d in round %d\n", id, i), 5+i%4)
		if err := c.Stor(name, strings.NewReader(text)); err != nil {
			return fmt.Errorf("store: %w", err)
		}
		if err := c.Stor("/shared.txt", strings.NewReader(text)); err != nil {
			return fmt.Errorf("store: %w", err)
		}
		r, err := c.Retr(name)
		if err != nil {
			return fmt.Errorf("fetch: %w", err)
		}
		got, err := io.ReadAll(r)
		if err = errors.Join(err, r.Close()); err != nil {
			return err
		}
		if string(got) != text {
			return fmt.Errorf("%s has %d bytes, not %d", name, len(got), len(text))
		}
		if _, err := c.List("/"); err != nil {
			return fmt.Errorf("list: %w", err)
		}
		switch i % 4 {
		case 1:
			if err := c.Rename(name, name+".old"); err != nil {
				return fmt.Errorf("rename: %w", err)
			}
		case 2:
			if err := c.Delete(name); err != nil {
				return fmt.Errorf("delete: %w", err)
			}
		}
	}
	return c.Quit()
}
