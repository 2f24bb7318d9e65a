package instrument

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/presage-race/presage/internal/source/plan"
)

// The go command embeds the files of the overlay. So //go:embed of a source file of the program
// would embed the emitted text, and of a directory also the files that presage adds to it. The file
// of the compiler's flag -embedcfg lists the embedded files. A script for -toolexec edits that
// list, so that the compiler reads the user's files and not the added ones.

// embeddedFiles returns the files that the packages of the program embed.
func embeddedFiles(prog *plan.Program) map[string]bool {
	files := map[string]bool{}
	for _, list := range [][]*plan.Package{prog.Packages, prog.Missing} {
		for _, pkg := range list {
			for _, f := range pkg.EmbedFiles {
				files[f] = true
			}
		}
	}
	return files
}

// sourceHash is a comment for the emitted text of a file. The go command knows an embedded file by
// this text, so it must change whenever the source does.
func sourceHash(source []byte) string { return fmt.Sprintf("\n// source: %x\n", sha256.Sum256(source)) }

const toolexecScript = `#!/bin/sh
# Made by presage. It runs a tool for the go command; what the compiler embeds is read from the user's sources.
before=
for arg; do
	if [ "$before" = -embedcfg ]; then
		sed -i -f %s "$arg" || exit 1
	fi
	before=$arg
done
exec "$@"
`

// Toolexec writes a script into dir that makes the compiler embed the user's source files, and
// returns the value of -toolexec for it. inner is the value without the script; Toolexec returns it
// if the program embeds nothing that the overlay changes. further has embedded files of packages
// that are not part of the result.
func (r *Result) Toolexec(dir, inner string, further ...string) (string, error) {
	edits := r.embedEdits(further)
	if edits == "" {
		return inner, nil
	}
	script, list := filepath.Join(dir, "embed.sh"), filepath.Join(dir, "embed.sed")
	if err := os.WriteFile(list, []byte(sedWhole+edits), 0o600); err != nil {
		return "", fmt.Errorf("writing what is embedded: %w", err)
	}
	text := fmt.Sprintf(toolexecScript, "'"+strings.ReplaceAll(list, "'", `'\''`)+"'")
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		return "", fmt.Errorf("writing what is embedded: %w", err)
	}
	if strings.ContainsAny(script, " \t\n'\"") {
		script = `"` + script + `"`
	}
	return strings.TrimSpace(script + " " + inner), nil
}

// sedWhole reads the whole file before the first edit.
const sedWhole = ":a\n$!{\nN\nba\n}\n"

// embedEdits are the edits of an -embedcfg, for sed.
func (r *Result) embedEdits(further []string) string {
	embedded := embeddedFiles(r.Plan.Program)
	for _, name := range further {
		embedded[name] = true
	}
	dirs := map[string]bool{}
	for name := range embedded {
		dirs[filepath.Dir(name)] = true
	}
	var edits strings.Builder
	for _, source := range sortedKeys(r.Overlay) {
		if embedded[source] {
			fmt.Fprintf(&edits, "s|: %s|: %s|g\n", sedQuote(r.Overlay[source], `\.*[]^$|`), sedQuote(source, `\&|`))
		} else if _, err := os.Stat(source); err != nil && dirs[filepath.Dir(source)] {
			// it is added
			name := `\n[[:space:]]*"\([^"]*/\)*` + strings.ReplaceAll(filepath.Base(source), ".", `\.`) + `"`
			fmt.Fprintf(&edits, "s|%s,||g\ns|,%[1]s\\n|\\n|g\n", name)
		}
	}
	return edits.String()
}

// sedQuote writes a file name as in JSON, with the characters that mean something to sed quoted.
func sedQuote(name, special string) string {
	data, err := json.Marshal(name)
	if err != nil {
		panic(err) // of a string
	}
	var b strings.Builder
	for _, c := range string(data) {
		if strings.ContainsRune(special, c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}
