package report

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

// TestJoin: two reports become one, with one config and one summary.
func TestJoin(t *testing.T) {
	var b bytes.Buffer
	j := Join(NewJSON(&b))
	for _, err := range []error{
		j.Config(&Config{Protocol: ProtocolVersion, Level: "path"}), j.Race(&Race{ID: "1"}),
		j.Summary(&Summary{Races: 1, ExitCode: 3, Coverage: &Coverage{Searched: Whole, Processes: 1}, Explored: []Explored{{Test: "A"}}, Stages: []Stage{{Name: "load", Wall: 1, Peak: 5}}}),
		j.Config(&Config{Protocol: ProtocolVersion, Level: "path"}), j.Race(&Race{ID: "2"}),
		j.Summary(&Summary{Races: 1, Coverage: &Coverage{Searched: Part, Processes: 2, Gaps: []Gap{{Code: "x"}}}, Paths: &Paths{Ends: map[string]int{"panic": 2}}, Explored: []Explored{{Test: "B"}}, Stages: []Stage{{Name: "load", Wall: 2, Peak: 3}}}),
		j.End(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(b.String(), `"config"`); n != 1 {
		t.Errorf("%d configs", n)
	}
	var got messages
	if err := HandleJSON(&b, &got); err != nil {
		t.Fatal(err)
	}
	want := &Summary{Races: 2, ExitCode: 3, Coverage: &Coverage{Searched: Part, Processes: 3, Gaps: []Gap{{Code: "x"}}}, Paths: &Paths{Ends: map[string]int{"panic": 2}},
		Explored: []Explored{{Test: "A"}, {Test: "B"}}, Stages: []Stage{{Name: "load", Wall: 3, Peak: 5}}}
	if len(got.races) != 2 || !reflect.DeepEqual(got.summary, want) {
		t.Errorf("%d races, %+v", len(got.races), got.summary)
	}
}

type messages struct {
	Ignore
	races   []*Race
	summary *Summary
}

func (m *messages) Race(r *Race) error       { m.races = append(m.races, r); return nil }
func (m *messages) Summary(s *Summary) error { m.summary = s; return nil }

// TestSummaryAdd: no number of a summary is lost.
func TestSummaryAdd(t *testing.T) {
	var one, sum Summary
	v := reflect.ValueOf(&one).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.Int, reflect.Int64:
			f.SetInt(1)
		case reflect.Float64:
			f.SetFloat(1)
		}
	}
	sum.add(&one)
	s := reflect.ValueOf(sum)
	for i := range s.NumField() {
		if f := s.Field(i); f.CanInt() && f.Int() != 1 || f.CanFloat() && f.Float() != 1 {
			t.Errorf("%s is not added", s.Type().Field(i).Name)
		}
	}
}
