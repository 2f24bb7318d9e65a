package main

import (
	"sync"
	"sync/atomic"

	"goftp.io/server/v2"
)

// accounts are the users that log in.
type accounts struct {
	mu     sync.Mutex
	logins map[string]int
	last   string
	wrong  atomic.Int64
}

// quota is how much the files of each user may have.
type quota struct {
	mu   sync.RWMutex
	used map[string]int64
	most int64
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
