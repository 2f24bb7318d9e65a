package merge

import (
	"fmt"
	"strings"
	"testing"
)

// TestTexts: the meta has the strings in read-only data that an address and a length refer to, in
// consecutive words of a value or a variable.
func TestTexts(t *testing.T) {
	const data = `
		const/0/16 0x5000 0x6867666564636261 0x706f6e6d6c6b6a69
		const/0/5 0x5010 0x7574737271
		`
	for _, c := range []struct{ name, recording, want, warn string }{
		{"a read, a write, a value", `
			write/0/16 0x100 0x5002 3
			read/0/16 0x200 0x500a 2
			value/0/16 0x5012 3
			`, `0x5002 "cde" 0x500a "kl" 0x5012 "stu"`, ""},
		{"of any two neighbours", "value/0/32 7 0x5002 3 9", `0x5002 "cde"`, ""},
		{"of a variable", "var/0/24 0x900 24 7 0x5002 3", `0x5002 "cde"`, ""},
		{"across records, and what overlaps is one", `
			value/0/16 0x500e 4
			value/0/16 0x5010 1
			value/0/16 0x500c 3
			`, `0x500c "mnopqr"`, ""},
		{"not of separate accesses", `
			write 0x100 0x5002
			write 0x108 3
			`, "", ""},
		{"not beyond the data, not outside", `
			value/0/16 0x5012 4
			value/0/16 0x4fff 4
			value/0/16 0x5015 1
			value/0/16 0x5002 0
			value/0/16 0x5002 5000
			`, "", ""},
		{"what is left out is counted", "const/0/8 0 12345\nvalue/0/16 0x5002 3", `0x5002 "cde"`, "constants-large 12345"},
		{"a gap is damage", "const/0/8 0x6000 1\nvalue/0/16 0x6000 1", "", "raw-damaged 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := save(t, parseRecording(t, "go 1\nstart 0 10\n"+data+c.recording+"\nend 90"), 0, 0)
			_, meta, _ := mergeDir(t, dir)
			var got []string
			for _, x := range meta.Texts {
				got = append(got, fmt.Sprintf("%#x %q", uint64(x.Addr), x.Data))
			}
			if s := strings.Join(got, " "); s != c.want {
				t.Errorf("got %s, want %s", s, c.want)
			}
			warned := ""
			for _, w := range meta.Warnings {
				warned += fmt.Sprint(w.Code, " ", w.Count)
			}
			if warned != c.warn {
				t.Errorf("warnings %q, want %q", warned, c.warn)
			}
		})
	}
}
