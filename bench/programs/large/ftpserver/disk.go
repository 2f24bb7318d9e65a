package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"sync"
	"time"

	"goftp.io/server/v2"
)

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

func newDisk() *disk {
	return &disk{root: newDirectory("/"), accounts: accounts{logins: make(map[string]int)}, journal: journal{commands: make(map[string]int)},
		quota: quota{used: make(map[string]int64)}, stats: statistics{byExt: make(map[string]int)}}
}

func newDirectory(name string) *file {
	return &file{name: name, dir: true, children: make(map[string]*file), time: time.Now()}
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

func (d *disk) String() string {
	d.accounts.mu.Lock()
	defer d.accounts.mu.Unlock()
	return fmt.Sprintf("%d users, %d wrong, %d puts, %d gets, %d lists, %d bytes, largest %d",
		len(d.accounts.logins), d.accounts.wrong.Load(), d.stats.puts.Load(), d.stats.gets.Load(), d.stats.lists.Load(), d.stats.bytes.Load(), d.stats.largest)
}
