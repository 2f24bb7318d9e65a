package leftout

import (
	"maps"
	"testing"

	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
)

// TestMechanisms: what each order of a chain rests on is said once; a pair without an explanation,
// and one that nothing but values keep apart, are not taken for such.
func TestMechanisms(t *testing.T) {
	two := []model.ExcludedCall{{}, {}}
	byProgram := predict.Link{By: predict.ProgramOrder}
	meet := predict.Link{By: predict.MissingMethod, Calls: two, Part: [2]uint64{8, 16}}
	hit := predict.Link{By: predict.MissingMethod, Calls: two[:1], Part: [2]uint64{8, 16}}
	unknown := predict.Link{By: predict.MissingMethod, Calls: two[:1]}
	everything := predict.Link{By: predict.MissingMethod, Calls: []model.ExcludedCall{{}, {All: true}}}
	lives := predict.Link{By: predict.MissingMethod, Calls: two[:1], Lives: 7}
	explained := func(n int, r predict.Reason, chain ...predict.Link) (x predict.Explanation) {
		x.A.Site, x.B.Site, x.Reason, x.Chain = 1, trace.Site(n), r, chain
		return x
	}
	res := &predict.Result{Explained: []predict.Explanation{
		explained(2, predict.Missing, meet, byProgram, hit, meet),
		explained(3, predict.Missing, byProgram, everything),
		explained(4, predict.Missing, lives),
		explained(5, predict.Values),
		explained(7, predict.Values),
		explained(8, predict.Missing, unknown),
	}}
	list := []*missed{{sites: []sites{{1, 2}, {1, 3}}}, {sites: []sites{{1, 4}, {1, 5}, {1, 6}, {1, 8}}}}
	want := map[string]int{"an access in a D and two Ds that meet": 1, "a D that is everything": 1, "a goroutine in a D": 1, "values": 1, "never in one window": 1,
		"a call, by what is not known": 1}
	if got := mechanisms(list, res); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
