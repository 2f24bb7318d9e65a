package reports

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestCompare: a script tries each feature that docs/compare.md says presage has, and no other one.
func TestCompare(t *testing.T) {
	const root = "../../../.."
	page, err := os.ReadFile(filepath.Join(root, "docs", "compare.md"))
	if err != nil {
		t.Fatal(err)
	}
	tried := map[string]bool{}
	for _, dir := range []string{"testdata", filepath.Join(root, "cmd", "presage", "testdata", "script")} {
		files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
		if err != nil || len(files) == 0 {
			t.Fatal("no scripts", err)
		}
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range regexp.MustCompile(`(?m)^# compare (\d+)\b`).FindAllSubmatch(data, -1) {
				tried[string(m[1])] = true
			}
		}
	}
	rows := regexp.MustCompile(`(?m)^\| (\d+) \|.*\| (yes|no)\b[^|]*\|$`).FindAllStringSubmatch(string(page), -1)
	yes := 0
	for i, row := range rows {
		if row[1] != fmt.Sprint(i+1) {
			t.Errorf("row %d has the number %s", i+1, row[1])
		}
		if has := row[2] == "yes"; has != tried[row[1]] {
			t.Errorf("feature %s: the page says %s; a script tries it: %v", row[1], row[2], tried[row[1]])
		} else if has {
			yes++
		}
	}
	if want := fmt.Sprintf("presage has %d of 40.", yes); len(rows) != 40 || !strings.Contains(string(page), want) {
		t.Errorf("%d rows; the page does not say: %s", len(rows), want)
	}
}
