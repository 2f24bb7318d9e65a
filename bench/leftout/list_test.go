package main

import (
	"maps"
	"testing"

	"presage/internal/analyse"
	"presage/internal/trace"
	"presage/internal/window"
)

// TestMechanisms: what each order of a chain rests on is said once; a pair without an explanation, and one that nothing
// but values keep apart, are not taken for such.
func TestMechanisms(t *testing.T) {
	two := []window.MissingCall{{}, {}}
	byProgram := analyse.Link{By: analyse.ProgramOrder}
	meet := analyse.Link{By: analyse.MissingMethod, Calls: two, Part: [2]uint64{8, 16}}
	hit := analyse.Link{By: analyse.MissingMethod, Calls: two[:1], Part: [2]uint64{8, 16}}
	unknown := analyse.Link{By: analyse.MissingMethod, Calls: two[:1]}
	everything := analyse.Link{By: analyse.MissingMethod, Calls: []window.MissingCall{{}, {All: true}}}
	lives := analyse.Link{By: analyse.MissingMethod, Calls: two[:1], Lives: 7}
	explained := func(n int, r analyse.Reason, chain ...analyse.Link) (x analyse.Explanation) {
		x.A.Site, x.B.Site, x.Reason, x.Chain = 1, trace.Site(n), r, chain
		return x
	}
	res := &analyse.Result{Explained: []analyse.Explanation{
		explained(2, analyse.Missing, meet, byProgram, hit, meet),
		explained(3, analyse.Missing, byProgram, everything),
		explained(4, analyse.Missing, lives),
		explained(5, analyse.Values),
		explained(7, analyse.Values),
		explained(8, analyse.Missing, unknown),
	}}
	list := []*missed{{sites: []sites{{1, 2}, {1, 3}}}, {sites: []sites{{1, 4}, {1, 5}, {1, 6}, {1, 8}}}}
	want := map[string]int{"an access in a D and two Ds that meet": 1, "a D that is everything": 1, "a goroutine in a D": 1, "values": 1, "never in one window": 1,
		"a call, by what is not known": 1}
	if got := mechanisms(list, res); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
