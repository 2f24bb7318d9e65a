package cache

import "os"

// Lock is a lock on a directory: shared for readers of its files, exclusive for writing and
// removing it.
type Lock struct{ f *os.File }

// LockDir takes the shared lock of a directory. The file of the lock is beside it.
func LockDir(dir string) (*Lock, error) {
	l, err := OpenLock(dir + ".lock")
	if err != nil {
		return nil, err
	}
	if err := l.Shared(); err != nil {
		l.Release()
		return nil, err
	}
	return l, nil
}

// OpenLock opens the file of a lock, and makes it if it is not there. It takes no lock yet.
func OpenLock(file string) (*Lock, error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	return &Lock{f}, nil
}

// FindLock opens the file of a lock that is there.
func FindLock(file string) (*Lock, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	return &Lock{f}, nil
}

// Shared takes the shared lock, in place of one that is held.
func (l *Lock) Shared() error { return lock(l.f, false, true) }

// Exclusive takes the exclusive lock, in place of one that is held.
func (l *Lock) Exclusive() error { return lock(l.f, true, true) }

// Alone takes the exclusive lock if no other process has any.
func (l *Lock) Alone() bool { return lock(l.f, true, false) == nil }

// TryShared takes the shared lock if no process has the exclusive one.
func (l *Lock) TryShared() bool { return lock(l.f, false, false) == nil }

// Release gives the lock back.
func (l *Lock) Release() { l.f.Close() }
