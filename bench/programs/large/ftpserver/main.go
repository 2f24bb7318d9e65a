// Command ftpserver is an FTP server with its files in memory, as the Apache ftpserver of the
// paper: sessions of goftp.io/server share the tree of files, the accounts, quotas, a journal and
// statistics. Clients of jlaffaye/ftp in the same process store, list, rename and fetch files.
//
// Version 2.0.3 of goftp.io/server has known races: Server.Serve writes the listener and the cancel
// function that Server.Shutdown reads.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/jlaffaye/ftp"
	"goftp.io/server/v2"
)

func main() {
	clients := flag.Int("clients", 4, "goroutines with a session each")
	rounds := flag.Int("rounds", 26, "rounds of each")
	flag.Parse()
	if err := run(*clients, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(clients, rounds int) error {
	if err := probe(); err != nil {
		return err
	}
	d := newDisk()
	s, err := server.NewServer(&server.Options{
		Driver: d, Auth: &d.accounts, Perm: server.NewSimplePerm("owner", "group"), Logger: &d.journal,
		Hostname: "127.0.0.1", PublicIP: "127.0.0.1", WelcomeMessage: "hello",
	})
	if err != nil {
		return err
	}
	s.RegisterNotifer(&watcher{stats: &d.stats})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(ln) }()

	var wg sync.WaitGroup
	failed := make(chan error, clients)
	for i := range clients {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := session(ln.Addr().String(), i, rounds); err != nil {
				failed <- fmt.Errorf("client %d: %w", i, err)
			}
		}()
	}
	stop := make(chan struct{})
	looked := make(chan int)
	go d.look(stop, looked)
	wg.Wait()
	close(stop)
	fmt.Printf("looked %d times; %v\n", <-looked, d)
	err = s.Shutdown()
	if one := <-served; !errors.Is(one, server.ErrServerClosed) {
		err = errors.Join(err, one)
	}
	close(failed)
	for one := range failed {
		err = errors.Join(err, one)
	}
	return err
}

// probe starts a server without clients and shuts it down: the known races.
func probe() error {
	s, err := server.NewServer(&server.Options{Driver: newDisk(), Auth: &accounts{}, Perm: server.NewSimplePerm("owner", "group"), Logger: &server.DiscardLogger{}})
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(ln) }()
	time.Sleep(30 * time.Millisecond)
	err = s.Shutdown()
	ln.Close() // Shutdown may have come too early
	if one := <-served; !errors.Is(one, server.ErrServerClosed) && !errors.Is(one, net.ErrClosed) {
		err = errors.Join(err, one)
	}
	return err
}

// look reads what the sessions share, while they work.
func (d *disk) look(stop <-chan struct{}, looked chan<- int) {
	n := 0
	for {
		select {
		case <-stop:
			looked <- n
			return
		case <-time.After(3 * time.Millisecond):
		}
		d.quota.mu.RLock()
		most := d.quota.most
		d.quota.mu.RUnlock()
		d.stats.mu.Lock()
		largest := d.stats.largest
		d.stats.mu.Unlock()
		d.journal.mu.Lock()
		kinds := len(d.journal.commands)
		d.journal.mu.Unlock()
		if largest <= most && kinds >= 0 && d.stats.puts.Load() >= 0 && d.stats.bytes.Load() >= 0 {
			n++
		}
	}
}

// session is what one client does.
func session(addr string, id, rounds int) error {
	c, err := ftp.Dial(addr, ftp.DialWithTimeout(20*time.Second))
	if err != nil {
		return err
	}
	if err := c.Login(fmt.Sprint("user", id), "secret"); err != nil {
		return err
	}
	if err := c.MakeDir(fmt.Sprint("/u", id)); err != nil {
		return err
	}
	for i := range rounds {
		name := fmt.Sprintf("/u%d/f%d.txt", id, i%3)
		text := strings.Repeat(fmt.Sprintf("line of %d in round %d\n", id, i), 5+i%4)
		if err := c.Stor(name, strings.NewReader(text)); err != nil {
			return fmt.Errorf("store: %w", err)
		}
		if err := c.Stor("/shared.txt", strings.NewReader(text)); err != nil {
			return fmt.Errorf("store: %w", err)
		}
		r, err := c.Retr(name)
		if err != nil {
			return fmt.Errorf("fetch: %w", err)
		}
		got, err := io.ReadAll(r)
		if err = errors.Join(err, r.Close()); err != nil {
			return err
		}
		if string(got) != text {
			return fmt.Errorf("%s has %d bytes, not %d", name, len(got), len(text))
		}
		if _, err := c.List("/"); err != nil {
			return fmt.Errorf("list: %w", err)
		}
		switch i % 4 {
		case 1:
			if err := c.Rename(name, name+".old"); err != nil {
				return fmt.Errorf("rename: %w", err)
			}
		case 2:
			if err := c.Delete(name); err != nil {
				return fmt.Errorf("delete: %w", err)
			}
		}
	}
	return c.Quit()
}
