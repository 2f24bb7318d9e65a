//go:build sctbench

// Package fsbench is fsbench_bad: the file system of Flanagan and Godefroid ("Dynamic partial-order
// reduction for model checking software", POPL 2005), with one thread more than there are blocks.
// The last one finds none, in every schedule.
package fsbench

import (
	"sync"
	"testing"

	"github.com/presage-race/presage/bench/programs/sctbench/thread"
)

func TestFsbench(t *testing.T) {
	const threads, inodes, blocks = 27, 32, 26
	var inodeLocks [inodes]sync.Mutex
	var blockLocks [blocks]sync.Mutex
	var inode [inodes]int
	var busy [blocks]bool
	allocate := func(i int) bool {
		for k := range blocks {
			b := (i*2 + k) % blocks
			blockLocks[b].Lock()
			free := !busy[b]
			if free {
				busy[b] = true
				inode[i] = b + 1
			}
			blockLocks[b].Unlock()
			if free {
				return true
			}
		}
		return false
	}
	var list []func()
	for id := range threads {
		list = append(list, func() {
			i := id % inodes
			inodeLocks[i].Lock()
			if inode[i] == 0 && !allocate(i) {
				t.Error("BUG: no block is free")
			}
			inodeLocks[i].Unlock()
		})
	}
	thread.Run(list...)
}
