package kernels

import "testing"

// TestRead: what presage explore says of a test is read, and a report without the test is an error.
func TestRead(t *testing.T) {
	const config, race = `{"config":{"protocol_version":"v1.1.0"}}` + "\n", `{"race":{"id":"1"}}` + "\n"
	for _, x := range []struct {
		report string
		want   explored
	}{
		{config + `{"summary":{"explored":[{"test":"TestA","runs":6,"no_race_in_any_schedule":true}]}}`, explored{none: true, runs: 6}},
		{config + race + `{"summary":{"races":1,"explored":[{"test":"TestA","runs":1,"races":1}]}}`, explored{race: true, runs: 1}},
		{config + `{"summary":{"explored":[{"test":"TestB","runs":2},{"test":"TestA","runs":12}]}}`, explored{runs: 12}},
	} {
		var e explored
		if err := e.read([]byte(x.report), nil, "TestA"); err != nil || e != x.want {
			t.Errorf("%s: %+v, %v; want %+v", x.report, e, err, x.want)
		}
	}
	for _, text := range []string{"FAIL\n", config + `{"summary":{}}`} {
		if (&explored{}).read([]byte(text), nil, "TestA") == nil {
			t.Errorf("%q has no such test, and is read", text)
		}
	}
}
