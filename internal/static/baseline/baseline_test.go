package baseline_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/static/baseline"
)

func TestWriteRead(t *testing.T) {
	var b strings.Builder
	err := baseline.Write(&b, []baseline.Entry{{"0123456789ab", "likely b"}, {"ffffffffffff-2", "likely a"}, {"ffffffffffff", "likely a"}})
	if err != nil {
		t.Fatal(err)
	}
	_, lines, _ := strings.Cut(b.String(), "\n")
	if diff := cmp.Diff("ffffffffffff likely a\nffffffffffff-2 likely a\n0123456789ab likely b\n", lines); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
	ids, err := baseline.Read(strings.NewReader(b.String() + "\n  # a comment\n"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]bool{"0123456789ab": true, "ffffffffffff": true, "ffffffffffff-2": true}, ids); diff != "" {
		t.Errorf("fingerprints (-want +got):\n%s", diff)
	}
}

func TestReadErrors(t *testing.T) {
	for _, text := range []string{"hello\n", "0123\n", "0123456789ab-\n", "0123456789ab-x y\n", "0123456789AB\n", "\n\n{\"config\":{}}\n", strings.Repeat("x", 2<<20)} {
		if ids, err := baseline.Read(strings.NewReader(text)); err == nil {
			t.Errorf("%.40q: no error, but %v", text, ids)
		}
	}
}

// FuzzRead: any bytes are fingerprints, which can be written again, or an error.
func FuzzRead(f *testing.F) {
	f.Add("# head\n0123456789ab x\nffffffffffff-2\n")
	f.Fuzz(func(t *testing.T, text string) {
		ids, err := baseline.Read(strings.NewReader(text))
		if err != nil {
			return
		}
		var entries []baseline.Entry
		for id := range ids {
			entries = append(entries, baseline.Entry{ID: id})
		}
		var b strings.Builder
		if err := baseline.Write(&b, entries); err != nil {
			t.Fatal(err)
		}
		again, err := baseline.Read(strings.NewReader(b.String()))
		if diff := cmp.Diff(ids, again); err != nil || diff != "" {
			t.Errorf("%v\n%s", err, diff)
		}
	})
}
