package leftout

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/presage-race/presage/bench/internal/seeded"
)

// What has run is not run again: a line says all that the tables need.
func TestRestore(t *testing.T) {
	r := row{events: 1, calls: 2, gone: 3, escaped: 4, races: 5, left: 6, between: 3, missed: map[string]int{"several": 2}, mechanisms: map[string]int{"values": 1}}
	r.found[rdit].left, r.found[asWritten].more, r.found[hb].wrong = 7, 9, 8
	o := &outcome{Subject: "m/sub", Number: 3, Operator: seeded.Atomic, Name: "sub.T.n", How: "ran", Seconds: 1.5, Rows: []row{r}}
	line, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "lines")
	other := strings.Replace(string(line), "[7,0,0]", "[7,0]", 1) // another version's
	other = strings.Replace(other, `"Number":3`, `"Number":4`, 1)
	if other == string(line) {
		t.Fatalf("no count in %s", line)
	}
	text := fmt.Sprintf("%s\n%s\n%s", line, other, line[:20])
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
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
