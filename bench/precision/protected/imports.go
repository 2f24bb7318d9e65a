package protected

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// standard are packages of the standard library by their paths. Where two have the same name,
// the one listed is meant; a program imports the other one itself.
var standard = strings.Fields(`
archive/tar archive/zip bufio bytes cmp compress/bzip2 compress/flate compress/gzip compress/lzw compress/zlib
container/heap container/list container/ring context crypto/aes crypto/cipher crypto/hmac crypto/md5 crypto/sha1
crypto/sha256 crypto/sha512 crypto/rc4 database/sql database/sql/driver embed encoding encoding/ascii85 encoding/base64
encoding/base32 encoding/binary encoding/csv encoding/gob encoding/hex encoding/json encoding/pem encoding/xml errors
expvar flag fmt go/ast go/constant go/format go/parser go/printer go/scanner go/token go/types hash hash/adler32 hash/crc32 hash/crc64
hash/fnv hash/maphash html image image/color image/draw image/png index/suffixarray io
io/fs io/ioutil iter log log/slog maps math math/big math/bits math/cmplx math/rand mime mime/multipart mime/quotedprintable net
net/http net/http/cookiejar net/http/httptest net/mail net/netip net/rpc net/textproto net/url os os/exec os/signal os/user path path/filepath
plugin reflect regexp regexp/syntax runtime runtime/debug runtime/metrics runtime/pprof runtime/trace slices sort strconv
strings sync sync/atomic syscall testing testing/fstest testing/iotest text/scanner text/tabwriter text/template time
unicode unicode/utf16 unicode/utf8 unique unsafe weak`)

// ambiguous are the paths of names that several listed packages have.
var ambiguous = map[string]string{"scanner": "text/scanner", "template": "text/template", "rand": "math/rand", "trace": "runtime/trace"}

// findImports returns the import declaration of a file: what the program imports itself, and the
// standard packages whose names the file does not resolve.
func findImports(file *ast.File, own string) string {
	unresolved := map[*ast.Ident]bool{}
	for _, id := range file.Unresolved {
		unresolved[id] = true
	}
	used := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok && unresolved[id] {
				used[id.Name] = true
			}
		}
		return true
	})
	var b strings.Builder
	b.WriteString("import (\n")
	for line := range strings.Lines(own) {
		line = strings.TrimSpace(line)
		fmt.Fprintf(&b, "\t%s\n", line)
		delete(used, importName(line))
	}
	for _, name := range slices.Sorted(maps.Keys(used)) {
		if p := standardPath(name); p != "" {
			fmt.Fprintf(&b, "\t%q\n", p)
		}
	}
	b.WriteString(")\n\n")
	return b.String()
}

// version is the last element of the path of a later major version.
var version = regexp.MustCompile(`^v[0-9]+$`)

// importName is the name that an import line declares, as far as the line says it.
func importName(line string) string {
	name, _, named := strings.Cut(line, " ")
	if named {
		return name
	}
	p := strings.Trim(line, `"`)
	if version.MatchString(path.Base(p)) {
		p = path.Dir(p)
	}
	return path.Base(p)
}

// standardPath is the path of the standard package of a name, "" if there is none.
func standardPath(name string) string {
	if p := ambiguous[name]; p != "" {
		return p
	}
	for _, p := range standard {
		if path.Base(p) == name {
			return p
		}
	}
	return ""
}
