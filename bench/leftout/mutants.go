package main

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"presage/bench/seeded"
	"presage/internal/record"
	"presage/internal/trace"
	"presage/internal/trace/format"
)

// locked is which goroutines have acquired a lock in a line: of a file that a trace names.
type locked map[line]map[trace.GoID]bool

type line struct {
	file string
	line int
}

func (l locked) note(s *stretch) {
	for i := range s.events {
		e := &s.events[i]
		if e.Kind != format.Lock {
			continue
		}
		at := s.meta.SiteInfo(e.Site)
		if at.File < 0 || int(at.File) >= len(s.meta.Files) {
			continue
		}
		k := line{s.meta.Files[at.File].Name, int(at.Line)}
		if l[k] == nil {
			l[k] = map[trace.GoID]bool{}
		}
		l[k][e.G] = true
	}
}

// by is how many goroutines have acquired a mutex of the module in dir.
func (l locked) by(m *seeded.Mutex, dir string) int {
	all := map[trace.GoID]bool{}
	for k, gs := range l {
		file := k.file
		if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(rel) {
			file = rel
		}
		if m.At(file, k.line) {
			for g := range gs {
				all[g] = true
			}
		}
	}
	return len(all)
}

// seeds is what came of the mutants of a subject.
type seeds struct {
	name                                    string
	mutexes, tests, kept, alone             int // there, in tests, that stay, that not two goroutines have locked
	tried, failed, left, panicked, timedOut int
	racy                                    int // with a true race
	rows                                    []row
}

// seed runs the mutants of a subject.
func (b *bench) seed(ctx context.Context, s *subject, dir string, l locked) (*seeds, error) {
	x := &seeds{name: s.name(), rows: make([]row, len(b.variants))}
	var flags []string
	for _, f := range s.flags {
		if strings.HasPrefix(f, "-tags") || strings.HasPrefix(f, "-mod") {
			flags = append(flags, f)
		}
	}
	all, err := seeded.Find(ctx, dir, flags, s.pkg)
	if err != nil {
		return nil, err
	}
	for _, m := range all {
		switch x.mutexes++; {
		case strings.HasSuffix(m.File, "_test.go"):
			x.tests++
		case m.Kept != "":
			x.kept++
			log.Printf("%s: %s stays: %s", x.name, m.Name, m.Kept)
		case l.by(m, dir) < 2:
			x.alone++
		case time.Now().After(b.until):
			x.left++
		default:
			b.mutant(ctx, x, s, dir, m)
		}
	}
	return x, nil
}

// mutant runs one: in a copy, at the same place for all of a module.
func (b *bench) mutant(ctx context.Context, x *seeds, s *subject, dir string, m *seeded.Mutex) {
	x.tried++
	began := time.Now()
	to := filepath.Join(filepath.Dir(dir), "seeded", filepath.Base(dir))
	err := os.RemoveAll(to)
	if err == nil {
		err = record.CopyTree(dir, to)
	}
	if err == nil {
		err = m.Drop(to)
	}
	if err != nil {
		x.failed++
		log.Printf("%s without %s: %v", x.name, m.Name, err)
		return
	}
	r, err := b.timed(ctx, x.name+" without "+m.Name, s.config(to))
	if err != nil {
		x.failed++
		log.Printf("%s without %s: %v", x.name, m.Name, err)
		return
	}
	how := "ran"
	switch {
	case bytes.Contains(r.out, []byte("panic: test timed out")):
		how = "timed out"
		x.timedOut++
	case bytes.Contains(r.out, []byte("\npanic: ")) || bytes.Contains(r.out, []byte("fatal error: ")):
		how = "panicked"
		x.panicked++
	}
	if r.rows[0].races > 0 {
		x.racy++
	}
	for i := range r.rows {
		x.rows[i].add(&r.rows[i])
		addTo(b.seeded, b.variants[i], &r.rows[i])
		r.rows[i].print(fmt.Sprintf("  without %s", m.Name), b.variants[i])
	}
	log.Printf("%s without %s, %d operations: it %s, %.0f s", x.name, m.Name, m.Operations(), how, time.Since(began).Seconds())
}

// printSeeds prints the table of the mutants; the total comes behind it.
func (b *bench) printSeeds(all []*seeds) {
	var t seeds
	fmt.Printf("\nseeded races\n%-30s %8s %8s %8s %8s %8s | %8s %8s %8s %8s %8s\n", "package", "mutexes", "in tests", "kept", "alone", "not run", "mutants", "failed", "panicked", "timeout", "racy")
	line := func(s *seeds) {
		fmt.Printf("%-30s %8d %8d %8d %8d %8d | %8d %8d %8d %8d %8d\n", s.name, s.mutexes, s.tests, s.kept, s.alone, s.left, s.tried, s.failed, s.panicked, s.timedOut, s.racy)
	}
	for _, s := range all {
		line(s)
		t.mutexes, t.tests, t.kept, t.alone, t.left = t.mutexes+s.mutexes, t.tests+s.tests, t.kept+s.kept, t.alone+s.alone, t.left+s.left
		t.tried, t.failed, t.panicked, t.timedOut, t.racy = t.tried+s.tried, t.failed+s.failed, t.panicked+s.panicked, t.timedOut+s.timedOut, t.racy+s.racy
	}
	t.name = "total"
	line(&t)
	fmt.Println()
	printHead()
	for _, s := range all {
		for i, v := range b.variants {
			s.rows[i].print(s.name, v)
		}
	}
}
