package record

import (
	"bytes"
	"testing"
)

// A test may write without end. What is kept is bounded, and the end is there.
func TestLastBytes(t *testing.T) {
	var w lastBytes
	line := bytes.Repeat([]byte("x"), 1000)
	for range 5000 {
		if n, err := w.Write(line); n != len(line) || err != nil {
			t.Fatal(n, err)
		}
		if len(w.b) > 2*outputKept {
			t.Fatalf("%d bytes are kept", len(w.b))
		}
	}
	if w.Write([]byte("end")); !bytes.HasSuffix(w.b, []byte("xend")) || len(w.b) < outputKept {
		t.Errorf("%d bytes are kept, up to %q", len(w.b), w.b[len(w.b)-4:])
	}
}
