// Package interop lets programs that use the Go library and programs that use Holdfast's client
// share a lock, with either of them as the primary.
package interop

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/mbreese/socketlock"
)

// Longer than the Go library's delays at a takeover plus Holdfast's grace period.
const timeout = 20 * time.Second

// holder is a process that uses Holdfast's client: see Holder.java.
type holder struct {
	t       *testing.T
	command *exec.Cmd
	in      io.Writer
	out     chan string
}

func startHolder(t *testing.T, path string) *holder {
	t.Helper()
	return start(t, exec.Command("java", "-cp", os.Getenv("INTEROP_SOCKETLOCK_JAR"), "Holder.java", path), "connected")
}

func start(t *testing.T, command *exec.Cmd, first string) *holder {
	t.Helper()
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	check(t, err)
	out, err := command.StdoutPipe()
	check(t, err)
	check(t, command.Start())
	lines := make(chan string, 100)
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(out); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	h := &holder{t, command, in, lines}
	t.Cleanup(h.kill)
	h.expect(first)
	return h
}

func (h *holder) send(line string) {
	h.t.Helper()
	_, err := io.WriteString(h.in, line+"\n")
	check(h.t, err)
}

func (h *holder) expect(want string) {
	h.t.Helper()
	select {
	case line := <-h.out:
		if line != want {
			h.t.Fatalf("got %q, want %q", line, want)
		}
	case <-time.After(timeout):
		h.t.Fatalf("no %q", want)
	}
}

func (h *holder) does(line string) {
	h.t.Helper()
	h.send(line)
	h.expect(line)
}

func (h *holder) waits() {
	h.t.Helper()
	select {
	case line := <-h.out:
		h.t.Fatalf("got %q while it had to wait", line)
	case <-time.After(500 * time.Millisecond):
	}
}

// awaitPrimary returns once the process serves the path.
func (h *holder) awaitPrimary() {
	h.t.Helper()
	for end := time.Now().Add(timeout); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		h.send("primary")
		if <-h.out == "primary true" {
			return
		}
	}
	h.t.Fatal("the process did not become the primary")
}

func (h *holder) kill() {
	h.command.Process.Kill()
	h.command.Wait()
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func within(t *testing.T, limit time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	return ctx
}

func freshPath(t *testing.T) string { return filepath.Join(t.TempDir(), "s") }

func connect(t *testing.T, path string) *socketlock.Client {
	t.Helper()
	client, err := socketlock.Connect(within(t, timeout), path, socketlock.LockConfig{Policy: socketlock.FIFO})
	check(t, err)
	return client
}

// Whether two readers share the lock when the primary has the FIFO policy: the Go library grants to one at a time.
const (
	atHoldfast = true
	atGo       = false
)

// exclude checks that each side waits for the other, as readers and as writers.
func exclude(t *testing.T, client *socketlock.Client, h *holder, readersShare bool) {
	t.Helper()
	lock, err := client.AcquireWrite(within(t, timeout))
	check(t, err)
	h.send("write")
	h.waits()
	lock.Release()
	h.expect("write")
	if _, err := client.AcquireRead(within(t, 300*time.Millisecond)); err == nil {
		t.Fatal("a reader beside a writer")
	}
	h.does("release")
	lock, err = client.AcquireRead(socketlock.WithTTL(within(t, timeout), time.Minute))
	check(t, err)
	if readersShare {
		h.does("read")
		h.does("release")
	}
	h.send("write")
	h.waits()
	lock.Release()
	h.expect("write")
	h.does("release")
}

func TestGoClientAtAHoldfastPrimary(t *testing.T) {
	path := freshPath(t)
	h := startHolder(t, path)
	h.awaitPrimary()
	client := connect(t, path)
	exclude(t, client, h, atHoldfast)
	client.Close()
}

func TestHoldfastClientAtAGoPrimary(t *testing.T) {
	path := freshPath(t)
	client := connect(t, path)
	h := startHolder(t, path)
	exclude(t, client, h, atGo)
	h.kill() // a Go primary waits for its clients before it exits
	client.Close()
}

func TestALockOfAClientThatIsKilledIsFree(t *testing.T) {
	path := freshPath(t)
	client := connect(t, path)
	h := startHolder(t, path)
	h.does("write")
	h.kill()
	lock, err := client.AcquireWrite(within(t, timeout))
	check(t, err)
	lock.Release()
	client.Close()
}

func TestHoldfastTakesOverFromAGoPrimaryThatIsKilled(t *testing.T) {
	path := freshPath(t)
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), "INTEROP_GO_PRIMARY="+path)
	primary := start(t, command, "connected")
	h := startHolder(t, path)
	h.does("read")
	h.does("release")
	primary.kill()
	h.awaitPrimary()
	client := connect(t, path)
	exclude(t, client, h, atHoldfast)
	client.Close()
}

func TestGoTakesOverFromAHoldfastPrimaryThatIsKilled(t *testing.T) {
	path := freshPath(t)
	startHolder(t, path).kill()
	client := connect(t, path)
	h := startHolder(t, path)
	exclude(t, client, h, atGo)
	h.kill()
	client.Close()
}

// TestMain is also the Go primary that another test kills.
func TestMain(m *testing.M) {
	path := os.Getenv("INTEROP_GO_PRIMARY")
	if path == "" {
		os.Exit(m.Run())
	}
	if _, err := socketlock.Connect(context.Background(), path, socketlock.LockConfig{}); err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
	os.Stdout.WriteString("connected\n")
	io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}
