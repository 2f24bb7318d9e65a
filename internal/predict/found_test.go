package predict

import (
	"io"
	"testing"

	"github.com/presage-race/presage/internal/trace/raw"
)

// Options.Found is called once with the first race, and not where there is none.
func TestFound(t *testing.T) {
	for text, want := range map[string]int{
		"main alloc x val=64\nmain go g2\nmain write x val=1 @a\nmain write x val=2 @b\ng2 write x val=3 @c\n":                              1,
		"main alloc x val=64\nmain go g2\nmain lock m\nmain write x val=1 @a\nmain unlock m\ng2 lock m\ng2 write x val=3 @c\ng2 unlock m\n": 0,
	} {
		events, meta, err := raw.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		calls := 0
		res, err := Run(t.Context(), &listed{events: events, err: io.EOF}, meta, Options{Found: func() { calls++ }})
		if err != nil {
			t.Fatal(err)
		}
		if calls != want || (len(res.Races) > 0) != (want > 0) {
			t.Errorf("%d calls, %d races, want %d calls:\n%s", calls, len(res.Races), want, text)
		}
	}
}
