package report

import (
	"bytes"
	"strings"
	"testing"
)

// TestMergeSuppressed: a race is suppressed in a merged report if all reports that have it say so,
// and an entry of the baseline is gone if none has its race.
func TestMergeSuppressed(t *testing.T) {
	config := `{"config":{"protocol_version":"v1.1.0","tool":"presage","version":"x","level":"path","window":0}}` + "\n"
	race := func(id string) string { return `{"id":"` + id + `","tier":"observed","object":"global x","count":1}` }
	hidden := func(id string) string { return `{"suppressed":{"race":` + race(id) + `,"by":"baseline"}}` + "\n" }
	var all Merged
	merge(t, &all, "one", config+hidden("aa")+hidden("bb")+`{"summary":{"races":0,"suppressed":{"ignored":0,"baseline":2,"file":"f","gone":["cc","dd"]}}}`+"\n")
	merge(t, &all, "two", config+hidden("aa")+`{"race":`+race("bb")+`}`+"\n"+hidden("cc")+`{"summary":{"races":1,"exit_code":3}}`+"\n")
	var out bytes.Buffer
	if err := all.Send(NewJSON(&out)); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for _, want := range []string{
		`{"suppressed":{"race":{"id":"aa"`, `{"race":{"id":"bb"`, `{"suppressed":{"race":{"id":"cc"`, `"races":1,`,
		`"suppressed":{"ignored":0,"baseline":2,"file":"f","gone":["dd"]}`, `"reports":2,"of":2`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if n := strings.Count(text, `"tier":"observed"`); n != 3 {
		t.Errorf("%d races", n)
	}
}
