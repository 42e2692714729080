// Package interop tests the Go client of dflockd against the servers that interop/run started.
package interop

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/mtingers/dflockd/client"
)

// offBeat renews a lease of 2 s every 1.2 s, so that no renewal coincides with a release 4 s after the grant.
const offBeat = 0.6

// address returns the server in that variable, and skips the test if there is none.
func address(t *testing.T, variable string) string {
	t.Helper()
	value := os.Getenv(variable)
	if value == "" {
		t.Skipf("%s names no server", variable)
	}
	return value
}

func plain(t *testing.T) string { return address(t, "INTEROP_PLAIN") }

// small has a default lease of 2 s and limits of 2 keys and of 1 waiter per key.
func small(t *testing.T) string { return address(t, "INTEROP_SMALL") }

func freshKey() string { return "key-" + rand.Text() }

func trusting(t *testing.T) *tls.Config {
	t.Helper()
	pem, err := os.ReadFile(os.Getenv("INTEROP_CA"))
	check(t, err)
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		t.Fatal("no certificate in INTEROP_CA")
	}
	return &tls.Config{RootCAs: roots}
}

func dial(t *testing.T, server string) *client.Conn {
	t.Helper()
	conn, err := client.Dial(server)
	check(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

func lockOn(server, key string, timeout time.Duration) *client.Lock {
	return &client.Lock{Key: key, AcquireTimeout: timeout, Servers: []string{server}}
}

func semaphoreOn(server, key string, limit int, timeout time.Duration) *client.Semaphore {
	return &client.Semaphore{Key: key, Limit: limit, AcquireTimeout: timeout, Servers: []string{server}}
}

// holder is the common interface of locks and semaphores.
type holder interface {
	Acquire(ctx context.Context) (bool, error)
	Release(ctx context.Context) error
	Close() error
	Token() string
}

func take(t *testing.T, h holder) {
	t.Helper()
	ok, err := h.Acquire(context.Background())
	check(t, err)
	if !ok {
		t.Fatal("timed out, but should have been granted")
	}
	t.Cleanup(func() { h.Close() })
}

func refuse(t *testing.T, h holder) {
	t.Helper()
	ok, err := h.Acquire(context.Background())
	check(t, err)
	if ok {
		h.Close()
		t.Fatal("was granted, but should have timed out")
	}
}

func release(t *testing.T, h holder) {
	t.Helper()
	check(t, h.Release(context.Background()))
}

// serverStats requests the statistics over a plain socket, because the API of the client differs between its releases.
type serverStats struct {
	Connections int `json:"connections"`
	Locks       []struct {
		Key     string  `json:"key"`
		Owner   int64   `json:"owner_conn_id"`
		Expires float64 `json:"lease_expires_in_s"`
		Waiters int     `json:"waiters"`
	} `json:"locks"`
	Semaphores []struct {
		Key     string `json:"key"`
		Limit   int    `json:"limit"`
		Holders int    `json:"holders"`
		Waiters int    `json:"waiters"`
	} `json:"semaphores"`
	Channels []struct {
		Pattern   string `json:"pattern"`
		Group     string `json:"group"`
		Listeners int    `json:"listeners"`
	} `json:"signal_channels"`
}

func stats(server string) (serverStats, error) {
	var now serverStats
	conn, err := net.DialTimeout("tcp", server, 10*time.Second)
	if err != nil {
		return now, err
	}
	defer conn.Close()
	if _, err := fmt.Fprint(conn, "stats\n_\n\n"); err != nil {
		return now, err
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return now, err
	}
	body, ok := strings.CutPrefix(line, "ok ")
	if !ok {
		return now, fmt.Errorf("the response to stats is %q", line)
	}
	return now, json.Unmarshal([]byte(body), &now)
}

// awaitWaiters returns once that many waiters are in the queue of the key.
func awaitWaiters(t *testing.T, server, key string, want int) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for {
		now, err := stats(server)
		check(t, err)
		got := 0
		for _, entry := range now.Locks {
			if entry.Key == key {
				got += entry.Waiters
			}
		}
		for _, entry := range now.Semaphores {
			if entry.Key == key {
				got += entry.Waiters
			}
		}
		if got == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d waiters, not %d", got, want)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func within(t *testing.T, began time.Time, min, max time.Duration) {
	t.Helper()
	if took := time.Since(began); took < min || took > max {
		t.Fatalf("took %v, not between %v and %v", took, min, max)
	}
}
