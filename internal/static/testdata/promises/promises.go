// Package promises has exported functions that only callers outside of the package run at once. The
// locks that they take show whether these may (LI1).
package promises

import "sync"

// Scope has a lock for its fields.
type Scope struct {
	mu   sync.Mutex
	user string
	tags map[string]string
	once string
}

func (s *Scope) SetUser(u string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.user = u // want "user"
}

func (s *Scope) User() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.user
}

// Log is not of the type of Scope; the lock that it misses is of the memory.
type Log struct{ scope *Scope }

func (l *Log) Print() { println(l.scope.user) } // want "user"

// Once is read by nobody under the lock: nothing shows that the lock is for it.
func (s *Scope) SetOnce(x string) { s.once = x }

func (l *Log) Once() { println(l.scope.once) }

// Reset and Fields take the lock, but not for all that they do.
type Logger struct {
	mu     sync.Mutex
	fields []string
	level  int
	prefix string
	style  string
}

func (l *Logger) Reset() {
	l.mu.Lock()
	l.level = 0
	l.mu.Unlock()
	l.fields = nil // want "fields"
}

func (l *Logger) Level() (int, int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.level, 0
}

func (l *Logger) Fields() int {
	l.mu.Lock()
	n := l.level
	l.mu.Unlock()
	return n + len(l.fields)
}

// SetStyle and Style take no lock: a caller may use the logger alone.
func (l *Logger) SetStyle(s string) { l.style = s }

func (l *Logger) Style() string { return l.style }

// Run takes the lock, but it is the main loop of its object.
func (l *Logger) Run() {
	l.mu.Lock()
	l.level++
	l.mu.Unlock()
	l.prefix = "running"
}

var (
	mu      sync.Mutex
	current string
	plain   string
)

func SetCurrent(s string) {
	mu.Lock()
	current = s
	mu.Unlock()
}

func ClearCurrent() {
	mu.Lock()
	current = "" // want "current"
	mu.Unlock()
}

func Current() string { return current } // want "current"

func SetPlain(s string) { plain = s }

func Plain() string { return plain }
