//go:build !unix

package killed

import "os"

// signalOf knows of no signals here.
func signalOf(*os.ProcessState) (name string, ok bool) { return "", false }
