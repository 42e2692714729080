package interop

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mtingers/dflockd/client"
)

// unread is the maximum number of signals that a test leaves unread: the client buffers 64 and drops the rest.
const unread = 48

// emitter is the common interface of signal connections and, through plainEmitter, ordinary ones.
type emitter interface {
	Emit(channel, payload string) (int, error)
}

type plainEmitter struct{ conn *client.Conn }

func (p plainEmitter) Emit(channel, payload string) (int, error) {
	return client.Emit(p.conn, channel, payload)
}

func signalsOver(t *testing.T, conn *client.Conn, options ...client.SignalConnOption) *client.SignalConn {
	t.Helper()
	sc := client.NewSignalConn(conn, options...)
	t.Cleanup(func() { sc.Close() })
	return sc
}

func listener(t *testing.T, pattern string, options ...client.ListenOption) *client.SignalConn {
	t.Helper()
	sc := signalsOver(t, dial(t, plain(t)))
	check(t, sc.Listen(pattern, options...))
	return sc
}

func emit(t *testing.T, from emitter, channel, payload string, receivers int) {
	t.Helper()
	got, err := from.Emit(channel, payload)
	check(t, err)
	if got != receivers {
		t.Fatalf("%s reached %d, not %d", channel, got, receivers)
	}
}

func next(t *testing.T, sc *client.SignalConn) client.Signal {
	t.Helper()
	select {
	case signal, ok := <-sc.Signals():
		if !ok {
			t.Fatal("the connection is closed")
		}
		return signal
	case <-time.After(10 * time.Second):
		t.Fatal("no signal arrived")
	}
	panic("not reached")
}

func expect(t *testing.T, sc *client.SignalConn, channel, payload string) {
	t.Helper()
	if got := next(t, sc); got.Channel != channel || got.Payload != payload {
		t.Fatalf("%+v came, not %s %s", got, channel, payload)
	}
}

// expectAll compares the payloads of the signals that the emitter has sent so far with the expected ones. Signals of
// one emitter arrive in order, so a marker sent after them ends the comparison.
func expectAll(t *testing.T, sc *client.SignalConn, from emitter, want ...string) {
	t.Helper()
	mark := "mark-" + freshKey()
	check(t, sc.Listen(mark))
	emit(t, from, mark, ".", 1)
	var got []string
	for {
		signal := next(t, sc)
		if signal.Channel == mark {
			break
		}
		got = append(got, signal.Payload)
	}
	check(t, sc.Unlisten(mark))
	if !slices.Equal(got, want) {
		t.Fatalf("%q came, not %q", got, want)
	}
}

// awaitListeners returns once the pattern has that many listeners in that group.
func awaitListeners(t *testing.T, pattern, group string, want int) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for {
		now, err := stats(plain(t))
		check(t, err)
		got := 0
		for _, entry := range now.Channels {
			if entry.Pattern == pattern && entry.Group == group {
				got += entry.Listeners
			}
		}
		if got == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d listeners, not %d", got, want)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func Test_every_listener_gets_a_signal_and_the_emitter_gets_their_number(t *testing.T) {
	channel, from := freshKey(), plainEmitter{dial(t, plain(t))}
	emit(t, from, channel, "nobody", 0)
	var listeners []*client.SignalConn
	for range 3 {
		listeners = append(listeners, listener(t, channel))
	}
	emit(t, from, channel, "all", 3)
	emit(t, from, channel+"x", "nobody", 0)
	for _, sc := range listeners {
		expectAll(t, sc, from, "all")
	}
}

func Test_payloads_arrive_unchanged(t *testing.T) {
	channel, from := "kanal-鍵-🔑-"+freshKey(), plainEmitter{dial(t, plain(t))}
	sc := listener(t, channel)
	sent := []string{
		"x", "two words", "  blanks around  ", "tab\there", "sig looks.like a push", "ok 3", "grüße 🔑",
		strings.Repeat("long", 15_000),
	}
	for _, payload := range sent {
		emit(t, from, channel, payload, 1)
	}
	expectAll(t, sc, from, sent...)
}

func Test_many_signals_arrive_in_order(t *testing.T) {
	channel := freshKey()
	sc, from, slots := listener(t, channel), signalsOver(t, dial(t, plain(t))), make(chan struct{}, unread)
	outcome := make(chan error, 1)
	go func() {
		for number := range 2000 {
			slots <- struct{}{}
			got, err := from.Emit(channel, strconv.Itoa(number))
			if err == nil && got != 1 {
				err = errors.New("reached " + strconv.Itoa(got))
			}
			if err != nil {
				outcome <- err
				return
			}
		}
		outcome <- nil
	}()
	for number := range 2000 {
		expect(t, sc, channel, strconv.Itoa(number))
		<-slots
	}
	check(t, <-outcome)
	if sc.DroppedSignals() != 0 {
		t.Fatalf("the client dropped %d", sc.DroppedSignals())
	}
}

func Test_an_emitter_that_listens_receives_its_own_signals(t *testing.T) {
	channel := freshKey()
	sc, other := listener(t, channel), listener(t, channel)
	var sent []string
	for number := range 40 {
		sent = append(sent, strconv.Itoa(number))
		emit(t, sc, channel, strconv.Itoa(number), 2)
	}
	expectAll(t, sc, sc, sent...)
	expectAll(t, other, sc, sent...)
}

func Test_wildcards_match_whole_tokens(t *testing.T) {
	key, from := freshKey(), plainEmitter{dial(t, plain(t))}
	one, rest := listener(t, key+".*.done"), listener(t, key+".in.>")
	for channel, receivers := range map[string]int{
		".a.done": 1, ".done": 0, ".a.b.done": 0, ".a.done.late": 0,
		".in": 0, ".in.a": 1, ".in.a.b.c": 1, ".in.done": 2,
	} {
		emit(t, from, key+channel, "x", receivers)
	}
	expectAll(t, one, from, "x", "x")
	expectAll(t, rest, from, "x", "x", "x")
}

func Test_overlapping_patterns_deliver_one_copy(t *testing.T) {
	key, from := freshKey(), plainEmitter{dial(t, plain(t))}
	sc := listener(t, key+".a")
	for _, pattern := range []string{key + ".*", key + ".>", key + ".a"} {
		check(t, sc.Listen(pattern))
	}
	emit(t, from, key+".a", "once", 1)
	expectAll(t, sc, from, "once")
}

func Test_a_bad_pattern_is_refused_and_the_connection_stays_usable(t *testing.T) {
	channel, sc := freshKey(), signalsOver(t, dial(t, plain(t)))
	for _, pattern := range []string{"a.>.b", "fo*", "", "a b"} {
		if sc.Listen(pattern) == nil {
			t.Errorf("listening to %q was accepted", pattern)
		}
	}
	check(t, sc.Listen(channel))
	if _, err := sc.Emit(channel, ""); err == nil {
		t.Error("an empty payload was sent")
	}
	if _, err := sc.Emit(channel+".*", "x"); err == nil {
		t.Error("a pattern was taken for a channel")
	}
	emit(t, sc, channel, "x", 1)
	expectAll(t, sc, sc, "x")
}

func Test_two_workers_of_a_group_receive_signals_in_turn(t *testing.T) {
	key, from := freshKey(), plainEmitter{dial(t, plain(t))}
	for _, pattern := range []string{key + ".a", key + ".*.*"} {
		first := listener(t, pattern, client.WithGroup("workers"))
		second := listener(t, pattern, client.WithGroup("workers"))
		channel := strings.ReplaceAll(pattern, "*", "b")
		for _, job := range []string{"0", "1", "2", "3", "4"} {
			emit(t, from, channel, job, 1)
		}
		expectAll(t, first, from, "0", "2", "4")
		expectAll(t, second, from, "1", "3")
	}
}

func Test_each_group_and_each_single_listener_gets_a_copy(t *testing.T) {
	channel, from := freshKey(), plainEmitter{dial(t, plain(t))}
	first := listener(t, channel, client.WithGroup("workers"))
	second := listener(t, channel, client.WithGroup("workers"))
	audit, alone := listener(t, channel, client.WithGroup("audit")), listener(t, channel)
	for _, job := range []string{"0", "1", "2", "3"} {
		emit(t, from, channel, job, 3)
	}
	expectAll(t, first, from, "0", "2")
	expectAll(t, second, from, "1", "3")
	expectAll(t, audit, from, "0", "1", "2", "3")
	expectAll(t, alone, from, "0", "1", "2", "3")
}

func Test_the_remaining_member_of_a_group_receives_all_signals(t *testing.T) {
	channel, from := freshKey(), plainEmitter{dial(t, plain(t))}
	stays := listener(t, channel, client.WithGroup("workers"))
	leaves := listener(t, channel, client.WithGroup("workers"))
	dies := listener(t, channel, client.WithGroup("workers"))
	awaitListeners(t, channel, "workers", 3)
	check(t, leaves.Unlisten(channel, client.WithGroup("workers")))
	check(t, dies.Close())
	awaitListeners(t, channel, "workers", 1)
	emit(t, from, channel, "0", 1)
	emit(t, from, channel, "1", 1)
	expectAll(t, stays, from, "0", "1")
	expectAll(t, leaves, from)
}

func Test_unlisten_ends_exactly_that_subscription(t *testing.T) {
	key, from := freshKey(), plainEmitter{dial(t, plain(t))}
	sc := listener(t, key+".a")
	check(t, sc.Listen(key+".b"))
	check(t, sc.Listen(key+".c", client.WithGroup("workers")))
	check(t, sc.Unlisten(key+".a"))
	check(t, sc.Unlisten(key+".b", client.WithGroup("workers")))
	check(t, sc.Unlisten(key+".c"))
	check(t, sc.Unlisten(key+".never"))
	emit(t, from, key+".a", "a", 0)
	emit(t, from, key+".b", "b", 1)
	emit(t, from, key+".c", "c", 1)
	expectAll(t, sc, from, "b", "c")
}

func Test_closing_ends_all_subscriptions(t *testing.T) {
	key, from := freshKey(), plainEmitter{dial(t, plain(t))}
	sc := listener(t, key+".a")
	check(t, sc.Listen(key+".>"))
	check(t, sc.Close())
	if _, open := <-sc.Signals(); open {
		t.Fatal("a signal came out of a closed connection")
	}
	awaitListeners(t, key+".a", "", 0)
	awaitListeners(t, key+".>", "", 0)
	emit(t, from, key+".a", "x", 0)
}

func Test_a_listening_connection_holds_a_lock(t *testing.T) {
	conn, rival, key := dial(t, plain(t)), dial(t, plain(t)), freshKey()
	_, _, err := client.Acquire(conn, key, 0)
	check(t, err)
	sc := signalsOver(t, conn)
	check(t, sc.Listen(key+".>"))
	if _, _, err := client.Acquire(rival, key, 0); !errors.Is(err, client.ErrTimeout) {
		t.Fatalf("the rival got %v", err)
	}
	emit(t, plainEmitter{rival}, key+".hurry", "x", 1)
	expect(t, sc, key+".hurry", "x")
	check(t, sc.Close())
	token, _, err := client.Acquire(rival, key, 5*time.Second)
	check(t, err)
	emit(t, plainEmitter{rival}, key+".mine", "x", 0)
	check(t, client.Release(rival, key, token))
}

func Test_a_heartbeat_keeps_a_silent_listener_connected(t *testing.T) {
	t.Parallel()
	channel := freshKey()
	kept := signalsOver(t, authenticated(t), client.WithHeartbeatInterval(500*time.Millisecond))
	check(t, kept.Listen(channel))
	began := time.Now()
	idle := signalsOver(t, authenticated(t), client.WithHeartbeatInterval(0))
	check(t, idle.Listen(channel))
	select {
	case signal, open := <-idle.Signals():
		if open {
			t.Fatalf("%+v came", signal)
		}
	case <-time.After(15 * time.Second):
		t.Fatal("the idle listener is still connected")
	}
	within(t, began, 2500*time.Millisecond, 15*time.Second)
	emit(t, plainEmitter{authenticated(t)}, channel, "still there", 1)
	expect(t, kept, channel, "still there")
}

func Test_signals_need_the_secret_too(t *testing.T) {
	channel, sc := freshKey(), signalsOver(t, authenticated(t))
	check(t, sc.Listen(channel))
	emit(t, sc, channel, "x", 1)
	expect(t, sc, channel, "x")
	if signalsOver(t, dial(t, address(t, "INTEROP_AUTH"))).Listen(channel) == nil {
		t.Fatal("listening without a secret was accepted")
	}
}

func Test_signals_travel_over_tls(t *testing.T) {
	key, server := freshKey(), address(t, "INTEROP_TLS")
	open := func() *client.SignalConn {
		conn, err := client.DialTLS(server, trusting(t))
		check(t, err)
		return signalsOver(t, conn)
	}
	from, first, second := open(), open(), open()
	check(t, first.Listen(key+".*", client.WithGroup("workers")))
	check(t, second.Listen(key+".*", client.WithGroup("workers")))
	long := strings.Repeat("long", 15_000)
	for _, payload := range []string{"0", long, "2", "3"} {
		emit(t, from, key+".a", payload, 1)
	}
	expectAll(t, first, from, "0", "2")
	expectAll(t, second, from, long, "3")
}

// authenticated connects to the server with a secret, which closes connections that are idle for 3 s.
func authenticated(t *testing.T) *client.Conn {
	t.Helper()
	conn := dial(t, address(t, "INTEROP_AUTH"))
	check(t, client.Authenticate(conn, os.Getenv("INTEROP_SECRET")))
	return conn
}
