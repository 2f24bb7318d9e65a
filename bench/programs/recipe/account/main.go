// Command account is ConTest's account: two managers deposit, withdraw and transfer.
//
// The known bug: a transfer holds the lock of the account that gives, and changes the one that takes without its lock.
package main

import (
	"fmt"
	"sync"
)

type account struct {
	mu     sync.Mutex
	name   string
	amount float64
}

func (a *account) deposit(money float64) {
	a.mu.Lock()
	a.amount += money
	a.mu.Unlock()
}

func (a *account) withdraw(money float64) {
	a.mu.Lock()
	a.amount -= money
	a.mu.Unlock()
}

func (a *account) transfer(to *account, money float64) {
	a.mu.Lock()
	a.amount -= money
	to.amount += money
	a.mu.Unlock()
}

// bank is what the original has in static fields.
type bank struct {
	accounts [10]*account
	num      int
	next     int
}

type manager struct {
	bank    *bank
	account *account
	i       int
}

func (b *bank) manager(name string, amount float64) *manager {
	m := &manager{b, &account{name: name, amount: amount}, b.next}
	b.accounts[b.next] = m.account
	b.next = (b.next + 1) % b.num
	return m
}

func (m *manager) run() {
	m.account.deposit(300)
	m.account.withdraw(100)
	m.account.transfer(m.bank.accounts[(m.i+1)%m.bank.num], 99)
	m.account.deposit(200)
	m.account.withdraw(500)
}

func main() {
	b := &bank{num: 2}
	managers := []*manager{b.manager("A", 100), b.manager("B", 200)}
	var wg sync.WaitGroup
	for _, m := range managers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			m.run()
		}()
	}
	wg.Wait()
	total := 0.0
	for _, a := range b.accounts[:b.num] {
		total += a.amount
	}
	fmt.Println("total", total)
}
