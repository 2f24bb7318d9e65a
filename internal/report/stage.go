package report

// Stage has the time and memory of a stage of the command. Races do not depend on it.
type Stage struct {
	Name string  `json:"name"`
	Of   string  `json:"of,omitempty"` // the stage that it is a part of
	Wall float64 `json:"wall"`         // seconds
	// seconds, user and system, with the processes that were started
	CPU  float64 `json:"cpu"`
	Peak int64   `json:"peak,omitempty"`
}
