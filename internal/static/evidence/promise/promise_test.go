package promise_test

import (
	"testing"

	"github.com/presage-race/presage/internal/static/evidence/promise"
)

func TestRead(t *testing.T) {
	for _, c := range []struct {
		comment string
		want    promise.Verdict
	}{

		{"Client is safe for concurrent use by multiple goroutines.", promise.Many},
		{"Cache is a thread-safe fixed size LRU cache.", promise.Many},
		{"All functions on the Serf structure are safe to call concurrently.", promise.Many},
		{"It may be called concurrently and therefore must be implemented in a\nconcurrency safe way.", promise.Many},
		{"Multiple goroutines may invoke methods on a Conn simultaneously.", promise.Many},
		{"Conn is a connection handle. It is not safe for concurrent usage.", promise.One},
		{"Tx is NOT safe for concurrent use by multiple goroutines, because Exec resets it.", promise.One},
		{"LRU implements a non-thread safe fixed size LRU cache", promise.One},
		{"It is not used concurrently by multiple goroutines.", promise.One},
		{"Messages cannot be used concurrently.", promise.One},

		{"Map is not safe for concurrent use unless a lock is held.", promise.None},
		{"A Subscription is safe for concurrent use, for certain operations.", promise.None},
		{"The provided function must be concurrency-safe.", promise.None},
		{"Lock wraps a WriteSyncer in a mutex to make it safe for concurrent use.", promise.None},
		{"Get is safe for concurrent use. Set is not safe for concurrent use.", promise.None},
		{"The thread-safety of this interface is undefined.", promise.None},
		{"It bounds the number of concurrent streams.", promise.None},
		{"", promise.None},
	} {
		if got := promise.Read(c.comment); got != c.want {
			t.Errorf("Read(%q) = %v, want %v", c.comment, got, c.want)
		}
	}
}

func TestExpected(t *testing.T) {
	method := func(name string, context bool, ifaces ...string) promise.Method {
		return promise.Method{Key: "(*p.T)." + name, Name: name, Context: context, Ifaces: ifaces}
	}
	for _, c := range []struct {
		rule   string
		notes  []promise.Note
		method promise.Method
		ifaces []string
		want   promise.Verdict
	}{
		{"its own", []promise.Note{{"(*p.T).M", promise.One}, {"p.T", promise.Many}}, method("M", false), nil, promise.One},
		{"its type's", []promise.Note{{"p.T", promise.Many}}, method("M", false), nil, promise.Many},
		{"an interface's", []promise.Note{{"q.I", promise.Many}}, method("M", false, "q.I"), []string{"q.I"}, promise.Many},
		{"not in the interface", []promise.Note{{"q.I", promise.Many}}, method("M", false), []string{"q.I"}, promise.None},
		{"one of any interface", []promise.Note{{"q.I", promise.One}}, method("M", false), []string{"q.I"}, promise.One},
		{"both", []promise.Note{{"q.I", promise.One}, {"q.J.M", promise.Many}}, method("M", false, "q.J"), []string{"q.I", "q.J"}, promise.None},
		{"D4", nil, method("M", true, "q.Told"), []string{"q.Told"}, promise.Many},
		{"a callback that is not passed the object", nil, method("M", true, "q.I"), []string{"q.I"}, promise.None},
		{"no context", nil, method("M", false, "q.Told"), []string{"q.Told"}, promise.None},
		{"its own package", nil, method("M", true, "p.Told"), []string{"p.Told"}, promise.None},
		{"said to be one", []promise.Note{{"p.T", promise.One}}, method("M", true, "q.Told"), []string{"q.Told"}, promise.One},
	} {
		pkg := &promise.Package{Notes: c.notes, Types: []promise.Type{{Name: "p.T", Methods: []promise.Method{c.method}, Ifaces: c.ifaces}}}
		got := promise.Expected([]*promise.Package{pkg}, func(iface string) bool { return iface == "q.Told" || iface == "p.Told" })
		if got[c.method.Key] != c.want {
			t.Errorf("%s: %v, want %v", c.rule, got[c.method.Key], c.want)
		}
	}
}
