package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/presage-race/presage/internal/record"
	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

func newView(env *Env) *cobra.Command {
	var id string
	var open bool
	cmd := &cobra.Command{Use: "view [file]", Short: "Show a report in a browser: of the last run of this module, or of a file in JSON form",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("view takes at most one file")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && id != "" {
				return usagef("view takes a file or -run-id, not both")
			}
			page, err := pageOf(args, id)
			if err != nil {
				return err
			}
			return serve(cmd.Context(), env, page, open)
		}}
	runIDFlag(cmd.Flags(), &id)
	cmd.Flags().BoolVar(&open, "open", true, "open a browser, if standard output is a terminal")
	return cmd
}

// pageOf is the page of the report in a file, or of a run.
func pageOf(args []string, id string) ([]byte, error) {
	var page bytes.Buffer
	h := report.NewHTML(&page, textOptions(nil))
	if len(args) == 1 {
		_, err := readInto(args[0], h)
		return page.Bytes(), err
	}
	run, err := findRun(id)
	if err != nil {
		return nil, err
	}
	_, err = readInto(filepath.Join(run.Dir, record.ReportFile), h)
	return page.Bytes(), damagedRun(run, err)
}

// serve serves a page to this machine alone, until it is interrupted.
func serve(ctx context.Context, env *Env, page []byte, open bool) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	v := &viewed{host: l.Addr().String(), token: rand.Text(), page: page}
	server := &http.Server{Handler: v, ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { server.Close() })
	visible.Fprintf(env.Stdout, "%s\n", v.url())
	if f := asFile(env.Stdout); open && f != nil && term.IsTerminal(int(f.Fd())) {
		if err := openBrowser(v.url()); err != nil {
			visible.Fprintf(env.Stderr, "presage: no browser was opened: %v\n", err)
		}
	}
	visible.Fprintf(env.Stderr, "presage: Ctrl-C ends this\n")
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// viewed is a page that only those who know its token get. Another page of the browser does not: it
// cannot read the address, and a name that it lets point to this machine is no name of ours.
type viewed struct {
	host, token string
	page        []byte
}

func (v *viewed) url() string { return "http://" + v.host + "/" + v.token + "/" }

// ServeHTTP implements http.Handler.
func (v *viewed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for name, value := range map[string]string{
		"Cache-Control":                "no-store",
		"Content-Security-Policy":      report.HTMLPolicy() + "; frame-ancestors 'none'",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Referrer-Policy":              "no-referrer",
		"X-Content-Type-Options":       "nosniff",
		"X-Frame-Options":              "DENY",
	} {
		w.Header().Set(name, value)
	}
	token, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch {
	case r.Host != v.host:
		http.Error(w, "another host is asked for than "+v.host, http.StatusMisdirectedRequest)
	case subtle.ConstantTimeCompare([]byte(token), []byte(v.token)) == 0 || rest != "":
		http.Error(w, "this is not the address that presage view has printed", http.StatusNotFound)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		http.Error(w, "the page can only be read", http.StatusMethodNotAllowed)
	default:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.Copy(w, bytes.NewReader(v.page))
	}
}

// openBrowser opens an address with the program that the system has for it.
func openBrowser(url string) error {
	name, args := "xdg-open", []string{url}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
	}
	cmd := exec.Command(name, args...)
	apartFrom(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	go cmd.Wait()
	return nil
}
