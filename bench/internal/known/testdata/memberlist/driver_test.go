package driver

import (
	"testing"

	"github.com/hashicorp/memberlist"
)

func calls(t *testing.T) (first, second func()) {
	key := func(b byte) []byte { k := make([]byte, 16); k[0] = b; return k }
	ring, err := memberlist.NewKeyring(nil, key(1))
	if err != nil {
		t.Fatal(err)
	}
	return func() { ring.AddKey(key(2)) }, func() { ring.AddKey(key(3)) }
}
