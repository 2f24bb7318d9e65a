package cli

import (
	"fmt"
	"os"
	"runtime/pprof"
)

// envProfile is for developers of presage: the file for a CPU profile of this process. Processes
// that it starts do not have the variable.
const envProfile = "PRESAGE_CPUPROFILE"

// profile begins the CPU profile that the environment asks for. The function that it returns ends
// the profile.
func profile() (end func(), err error) {
	name := os.Getenv(envProfile)
	if name == "" {
		return func() {}, nil
	}
	os.Unsetenv(envProfile)
	f, err := os.Create(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", envProfile, err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", envProfile, err)
	}
	return func() {
		pprof.StopCPUProfile()
		f.Close()
	}, nil
}
