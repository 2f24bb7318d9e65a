package cli

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/pprof"
	"syscall"

	"github.com/presage-race/presage/internal/host/stage"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

// envProfile is for developers of presage: the file for a CPU profile of this process. Processes
// that it starts do not have the variable.
//
// With it, SIGTERM ends presage in any stage, with the profile so far and a line that names the
// stage, and SIGINT ends no more than the analysis.
const envProfile = "PRESAGE_CPUPROFILE"

// profile begins the CPU profile that the environment asks for. The function that it returns ends
// the profile.
func profile(stderr io.Writer) (end func(), err error) {
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
	// A channel drops signals that it has no room for: each of the two has its own.
	interrupted, ended := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(interrupted, syscall.SIGINT) // the command sees to it
	signal.Notify(ended, syscall.SIGTERM)
	go func() {
		if _, ok := <-ended; ok {
			pprof.StopCPUProfile()
			visible.Fprintf(stderr, "presage: ended in stage %s\n", stage.Current())
			os.Exit(exitFailed)
		}
	}()
	return func() {
		signal.Stop(interrupted)
		signal.Stop(ended)
		close(ended)
		pprof.StopCPUProfile()
		f.Close()
	}, nil
}
