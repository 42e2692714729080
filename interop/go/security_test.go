package interop

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/mtingers/dflockd/client"
)

func Test_the_right_secret_is_accepted(t *testing.T) {
	server := address(t, "INTEROP_AUTH")
	l := lockOn(server, freshKey(), time.Second)
	l.AuthToken = os.Getenv("INTEROP_SECRET")
	take(t, l)
	conn := dial(t, server)
	check(t, client.Authenticate(conn, l.AuthToken))
	_, _, err := client.Acquire(conn, freshKey(), 0)
	check(t, err)
}

func Test_a_wrong_secret_is_refused(t *testing.T) {
	l := lockOn(address(t, "INTEROP_AUTH"), freshKey(), time.Second)
	l.AuthToken = "wrong"
	if _, err := l.Acquire(context.Background()); !errors.Is(err, client.ErrAuth) {
		t.Fatalf("refused with %v", err)
	}
}

func Test_no_secret_is_refused(t *testing.T) {
	ok, err := lockOn(address(t, "INTEROP_AUTH"), freshKey(), time.Second).Acquire(context.Background())
	if ok || err == nil {
		t.Fatalf("%v, %v", ok, err)
	}
}

func Test_locks_and_semaphores_work_over_tls(t *testing.T) {
	server, key := address(t, "INTEROP_TLS"), freshKey()
	l := lockOn(server, key, time.Second)
	l.TLSConfig = trusting(t)
	take(t, l)
	rival := lockOn(server, key, time.Second)
	rival.TLSConfig = trusting(t)
	refuse(t, rival)
	slot := semaphoreOn(server, key, 2, time.Second)
	slot.TLSConfig = trusting(t)
	take(t, slot)
	release(t, slot)
	release(t, l)
}

func Test_a_client_that_does_not_trust_the_certificate_does_not_connect(t *testing.T) {
	_, err := client.DialTLS(address(t, "INTEROP_TLS"), &tls.Config{RootCAs: x509.NewCertPool()})
	var untrusted x509.UnknownAuthorityError
	if !errors.As(err, &untrusted) {
		t.Fatalf("refused with %v", err)
	}
}

func Test_a_client_without_tls_is_disconnected(t *testing.T) {
	conn := dial(t, address(t, "INTEROP_TLS"))
	if token, _, err := client.Acquire(conn, freshKey(), 0); err == nil {
		t.Fatalf("was granted %s", token)
	}
}
