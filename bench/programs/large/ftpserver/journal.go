package main

import (
	"fmt"
	"path"
	"sync"
	"sync/atomic"
	"time"

	"goftp.io/server/v2"
)

// journal has what was done.
type journal struct {
	mu       sync.Mutex
	lines    []string
	commands map[string]int
	dropped  int
}

type statistics struct {
	puts, gets, lists, bytes atomic.Int64

	mu      sync.Mutex
	largest int64
	byExt   map[string]int
	first   sync.Once
	began   time.Time
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
