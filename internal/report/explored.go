package report

// Explored is what presage explore has come to with one test.
type Explored struct {
	Package string `json:"package"`
	Test    string `json:"test"`
	Runs    int    `json:"runs"`    // that were recorded
	Classes int    `json:"classes"` // of runs that differ in the order of dependent operations
	Races   int    `json:"races"`   // pairs of positions
	// no run under another schedule is left, and none has a race
	NoRace bool   `json:"no_race_in_any_schedule"`
	Seed   uint64 `json:"seed"`
	Error  string `json:"error,omitempty"`
	// what keeps the exploration from being all of the schedules, in words
	Limits []string `json:"limits,omitempty"`
	Failed int      `json:"failed,omitempty"` // runs
	// every run failed; one that repeats the first is not counted
	AllFailed bool `json:"all_failed,omitempty"`
	// what the test has asked for that was the same in all runs, in words
	Assumes      []string `json:"assumes,omitempty"`
	FirstFailure int      `json:"first_failure,omitempty"` // the first run that failed
	FirstRace    int      `json:"first_race,omitempty"`    // the first run that a race was found in
}
