package tier_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/static/tier"
)

// TestDocumented compares the table of docs/using/vet.md with the codes: every code has its row,
// and every row its code.
func TestDocumented(t *testing.T) {
	page, err := os.ReadFile("../../../docs/using/vet.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "| code | tier | |\n|---|---|---|\n")
	table, _, ok := strings.Cut(rest, "\n\n")
	if !ok {
		t.Fatal("docs/using/vet.md has no table of codes")
	}
	var want []string
	for _, r := range tier.Reasons {
		want = append(want, fmt.Sprintf("| %s | %s | %s |", r.Code, r.Tier, r.Text))
	}
	if w := strings.Join(want, "\n"); w != table {
		t.Errorf("docs/using/vet.md has the table\n%s\nbut the codes are\n%s", table, w)
	}
}
