package predict

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/oracle/progtest"
	"github.com/presage-race/presage/internal/predict/walk"
)

// TestAccepted: search and checker execute the programs of testdata/accepted alike. In no recording
// does the checker reject a witness, and in some there are alternatives.
func TestAccepted(t *testing.T) {
	files, err := filepath.Glob("testdata/accepted/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	loader := progtest.NewLoader()
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".go"), func(t *testing.T) {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			p, err := loader.Load(string(src))
			if err != nil {
				t.Fatal(err)
			}
			ways := int64(0)
			for seed := range uint64(200) {
				run, err := p.Record(seed)
				if err != nil {
					t.Fatal(err)
				}
				w := walk.NewBranching(p.Plan)
				w.Read(run.Meta)
				res, err := Run(context.Background(), run.Source(), run.Meta, Options{Walker: w})
				if err != nil {
					t.Fatal(err)
				}
				for _, why := range res.Rejected {
					t.Errorf("recording %d: %v", seed, why)
				}
				ways += res.Counts.Ways
			}
			if ways == 0 {
				t.Error("no alternative was tried")
			}
		})
	}
}
