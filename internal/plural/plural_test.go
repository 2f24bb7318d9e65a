package plural

import "testing"

func TestText(t *testing.T) {
	const message = "{{n}} pair{{|s}} of {{an access|accesses}} do{{es|}} not fit {{n}} times: map[{{a|B}}]struct{}"
	for n, want := range map[int]string{
		0: "0 pairs of accesses do not fit 0 times: map[{{a|B}}]struct{}",
		1: "1 pair of an access does not fit 1 times: map[{{a|B}}]struct{}",
		2: "2 pairs of accesses do not fit 2 times: map[{{a|B}}]struct{}",
	} {
		if got := Text(n, message); got != want {
			t.Errorf("%d: %s\nwant %s", n, got, want)
		}
	}
}

func TestOf(t *testing.T) {
	for _, c := range []struct {
		n          int64
		name, want string
	}{
		{0, "race", "0 races"}, {1, "race", "1 race"}, {1, "access", "1 access"}, {2, "access", "2 accesses"},
		{1, "summary", "1 summary"}, {2, "summary", "2 summaries"}, {2, "key", "2 keys"},
	} {
		if got := Of(c.n, c.name); got != c.want {
			t.Errorf("Of(%d, %q) = %s, want %s", c.n, c.name, got, c.want)
		}
	}
}
