package static

import "testing"

func TestFuncName(t *testing.T) {
	for key, want := range map[string]string{
		"example.com/p.f":                "p.f",
		"(*example.com/p.T).M":           "p.(*T).M",
		"(example.com/p.T).M":            "p.T.M",
		"(*example.com/p/v2.T).M$1":      "p/v2.(*T).M.func1",
		"example.com/p.f$1$2":            "p.f.func1.2",
		"(*example.com/p.T).M$bound":     "p.(*T).M-fm",
		"(*p.T[int]).M":                  "p.(*T[int]).M",
		"example.com/p.init#1":           "p.init#1",
		"example.com/p.f[func(int)bool]": "p.f[func(int)bool]",
	} {
		if got := FuncName(key); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
}
