package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/static"
	"github.com/presage-race/presage/internal/static/store"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

// vetStore is the directory of summaries that a flag names: "" is below the cache directory, "off"
// is none.
func vetStore(flag string) (string, error) {
	switch flag {
	case "off":
		return "", nil
	case "":
		cache, err := record.CacheDir()
		return filepath.Join(cache, "vet"), err
	}
	return filepath.Abs(flag)
}

// vettool recognises the calls that the go command makes of a vet tool (go vet -vettool=presage),
// and answers them. The summaries go to the directory in which presage vet looks for them.
//
//	-V=full      its version: the go command keeps answers for this executable
//	-flags       which flags it has, as JSON
//	… unit.cfg   one package
func vettool(env *Env) (bool, error) {
	if len(env.Args) == 0 {
		return false, nil
	}
	last := env.Args[len(env.Args)-1]
	switch {
	case last == "-V=full":
		d, err := store.Executable()
		visible.Fprintf(env.Stdout, "presage version devel buildID=%x\n", d)
		return true, err
	case last == "-flags":
		_, err := fmt.Fprintln(env.Stdout, `[{"Name":"store","Bool":false,"Usage":"directory of summaries"}]`)
		return true, err
	case strings.HasSuffix(last, ".cfg"):
		flag := ""
		for _, a := range env.Args[:len(env.Args)-1] {
			if v, ok := strings.CutPrefix(a, "-store="); ok {
				flag = v
			} else if a != "-json" {
				// there are no diagnostics: what form they have does not matter
				return false, nil
			}
		}
		dir, err := vetStore(flag)
		if err == nil && dir == "" {
			err = usagef("go vet -vettool: the summaries need a directory")
		}
		if err != nil {
			return true, err
		}
		return true, static.Vettool(last, dir)
	}
	return false, nil
}
