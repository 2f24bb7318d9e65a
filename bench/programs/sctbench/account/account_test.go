//go:build sctbench

// Package account is account_bad: a deposit and a withdrawal, and a check that is wrong if it comes
// last.
package account

import (
	"sync"
	"testing"

	"github.com/presage-race/presage/bench/programs/sctbench/thread"
)

func TestAccount(t *testing.T) {
	const x, y, z = 1, 2, 4
	var mu sync.Mutex
	balance, deposited, withdrawn := x, false, false
	check := func() {
		mu.Lock()
		defer mu.Unlock()
		if deposited && withdrawn && balance != (x-y)-z { // it is (x+y)-z
			t.Error("BUG: balance", balance)
		}
	}
	deposit := func() {
		mu.Lock()
		defer mu.Unlock()
		balance += y
		deposited = true
	}
	withdraw := func() {
		mu.Lock()
		defer mu.Unlock()
		balance -= z
		withdrawn = true
	}
	thread.Run(check, deposit, withdraw)
}
