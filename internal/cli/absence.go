package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// absence is what is known of two positions between which nothing was found.
type absence struct {
	accesses [2]int
	memory   [2]map[trace.Addr]map[trace.GoID]uses
}

// uses are kinds of accesses: one bit for each of reads and writes, atomic or not.
type uses uint8

// useOf is the bit of a kind of access.
func useOf(k format.Kind) uses {
	u := uses(1)
	if k.IsWrite() {
		u <<= 1
	}
	if k.IsAtomic() {
		u <<= 2
	}
	return u
}

const (
	plainUses uses = 1<<0 | 1<<1
	writeUses uses = 1<<1 | 1<<3
)

// conflict reports whether an access of u and one of v conflict: one writes, and one is not atomic.
func (u uses) conflict(v uses) bool {
	plainWrite := plainUses & writeUses
	return u&plainWrite != 0 && v != 0 || v&plainWrite != 0 && u != 0 ||
		u&plainUses != 0 && v&writeUses != 0 || v&plainUses != 0 && u&writeUses != 0
}

// look reads a trace.
func (n *absence) look(name string, meta *trace.Meta, at func(trace.Site) (bool, bool)) error {
	s, err := openTrace(name)
	if err != nil {
		return err
	}
	defer s.Close()
	is := make(map[trace.Site][2]bool)
	var e trace.Event
	for {
		if err := s.Next(&e); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if !e.Kind.IsAccess() {
			continue
		}
		v, ok := is[e.Site]
		if !ok {
			v[0], v[1] = at(e.Site)
			is[e.Site] = v
		}
		for k, yes := range v {
			if !yes {
				continue
			}
			n.accesses[k]++
			if n.memory[k] == nil {
				n.memory[k] = make(map[trace.Addr]map[trace.GoID]uses)
			}
			if n.memory[k][e.Obj] == nil {
				n.memory[k][e.Obj] = make(map[trace.GoID]uses)
			}
			n.memory[k][e.Obj][e.G] |= useOf(e.Kind)
		}
	}
}

func (n *absence) text(p, q string) string {
	for k, pos := range []string{p, q} {
		if n.accesses[k] == 0 {
			return fmt.Sprintf("no access of shared memory was recorded at %s", pos)
		}
	}
	common, apart, written, conflict := false, false, false, false
	for x, gs := range n.memory[0] {
		for g, u := range gs {
			for h, v := range n.memory[1][x] {
				common, apart = true, apart || g != h
				written = written || g != h && (u|v)&writeUses != 0
				conflict = conflict || g != h && u.conflict(v)
			}
		}
	}
	switch {
	case !common:
		return fmt.Sprintf("%s and %s were recorded (%s and %s), but never accessed the same memory", p, q, plural.Of(n.accesses[0], "access"), plural.Of(n.accesses[1], "access"))
	case !apart:
		return fmt.Sprintf("%s and %s accessed the same memory, but only in one goroutine", p, q)
	}
	why := "too far apart in the run (-window n, with more than the default of 10000 events, compares them)"
	switch {
	case !written:
		why = "neither writes"
	case !conflict:
		why = "both are atomic"
	}
	return fmt.Sprintf("%s and %s accessed the same memory in two goroutines, but %s", p, q, why)
}
