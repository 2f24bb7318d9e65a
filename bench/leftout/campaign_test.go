package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"presage/bench/seeded"
)

// What has run is not run again: a line says all that the tables need.
func TestRestore(t *testing.T) {
	r := row{events: 1, calls: 2, gone: 3, escaped: 4, races: 5, left: 6, missed: map[string]int{"several": 2}}
	r.found[rdit].right, r.found[hb].wrong = 7, 8
	o := &outcome{Subject: "m/sub", Number: 3, Operator: seeded.Atomic, Name: "sub.T.n", How: "ran", Seconds: 1.5, Rows: []row{r}}
	line, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "lines")
	if err := os.WriteFile(name, append(append(line, '\n'), line[:20]...), 0o666); err != nil {
		t.Fatal(err)
	}
	c := campaign{bench: &bench{variants: []variant{{synchronisation, false}}}}
	if err := c.restore(name); err != nil {
		t.Fatal(err)
	}
	defer c.save.Close()
	if got := c.done[o.key()]; len(c.done) != 1 || !reflect.DeepEqual(got, o) {
		t.Errorf("restored %+v, want %+v alone", got, o)
	}
}
