//go:build sctbench

// Package bluetooth is bluetooth_driver_bad: a driver is stopped between the check of its flag
// and the request that it then serves.
package bluetooth

import (
	"sync"
	"testing"

	"github.com/presage-race/presage/bench/programs/sctbench/thread"
)

func run(t *testing.T, variable func() thread.Int) {
	var mu sync.Mutex
	pending := 1 // requests, and one for the driver
	stopping, event, stopped := variable(), variable(), variable()
	release := func() {
		mu.Lock()
		pending--
		last := pending == 0
		mu.Unlock()
		if last {
			event.Store(1)
		}
	}
	serve := func() {
		if stopping.Load() != 0 {
			return
		}
		mu.Lock()
		pending++
		mu.Unlock()
		if stopped.Load() != 0 {
			t.Error("BUG: the driver is stopped")
		}
		release()
	}
	stop := func() {
		stopping.Store(1)
		release()
		if event.Load() != 0 {
			stopped.Store(1)
		}
	}
	thread.Run(stop, serve)
}

func TestBluetoothDriver(t *testing.T)       { run(t, thread.Plain) }
func TestBluetoothDriverAtomic(t *testing.T) { run(t, thread.Atomic) }
