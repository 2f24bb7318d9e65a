package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/report"
)

func TestForms(t *testing.T) {
	for value, want := range map[string]string{
		"json": "", "text,sarif=a.sarif": "", "junit=a,github=b": "", "text=a,csv": "",
		"jsn": "help report", "": "help report",
		"sarif=": "name of the file", "text,json": "only one form",
	} {
		var f forms
		err := f.Set(value)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", value, err, want)
		}
		if err == nil && f.String() != value {
			t.Errorf("%q is %q", value, f.String())
		}
	}
	var f forms
	if f.Set("csv"); f.check(true) == nil || !f.forProgram(false) {
		t.Error("-json goes with -format csv")
	}
	// The command line of an earlier run may name a directory that is not there any more.
	g, err := parseGo([]string{"-format", "sarif=gone/a.sarif", "."}, true)
	if err != nil || g.forms.places() == nil {
		t.Errorf("%v: a directory that is not there", err)
	}
}

// TestPrinter writes a report in several forms. GitHub Actions gets annotations as well, but not
// where standard output is for a program.
func TestPrinter(t *testing.T) {
	dir := t.TempDir()
	print := func(value string) string {
		var f forms
		if value != "" {
			if err := f.Set(value); err != nil {
				t.Fatal(err)
			}
		}
		var out bytes.Buffer
		h, end := f.printer(&out, false)
		h.Config(&report.Config{})
		h.Summary(&report.Summary{})
		if err := end(); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	file := filepath.Join(dir, "a.xml")
	t.Setenv("GITHUB_ACTIONS", "")
	if got := print("junit=" + file); !strings.HasPrefix(got, "presage: ") || strings.Contains(got, "::notice") {
		t.Errorf("%s", got)
	}
	if data, err := os.ReadFile(file); err != nil || !bytes.Contains(data, []byte("<testsuites>")) {
		t.Errorf("%s %v", data, err)
	}
	t.Setenv("GITHUB_ACTIONS", "true")
	if got := print(""); !strings.HasPrefix(got, "presage: ") || !strings.Contains(got, "\n::notice") {
		t.Errorf("%s", got)
	}
	if got := print("csv"); strings.Contains(got, "::notice") {
		t.Errorf("%s", got)
	}
	// what cannot be opened does not cost the text
	bad := forms{{&report.Formats[1], filepath.Join(dir, "none", "a")}}
	t.Setenv("GITHUB_ACTIONS", "")
	var out bytes.Buffer
	h, end := bad.printer(&out, false)
	if err := h.Summary(&report.Summary{}); err != nil || end() == nil || !strings.HasPrefix(out.String(), "presage: ") {
		t.Errorf("%v, %s", err, out.String())
	}
	if bad.places() == nil {
		t.Error("a directory that is not there")
	}
}
