package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.driver.config.ConfigException;
import io.holdfast.server.dflockd.DflockdProtocol;
import io.holdfast.server.listener.ListenAddress;
import io.holdfast.server.listener.ListenEndpoint;
import io.holdfast.server.lockd.LockdOptions;
import io.holdfast.server.socketlock.SocketlockOptions;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.attribute.PosixFilePermissions;

@DisplayName("A listen address")
class ListenUrlTest {
    @ParameterizedTest
    @CsvSource({
        "dflockd://127.0.0.1:6388,127.0.0.1,6388,false",
        "dflockds://127.0.0.1:6388,127.0.0.1,6388,true",
        "dflockd://127.0.0.1:0,127.0.0.1,0,false",
        "dflockd://127.0.0.1:65535,127.0.0.1,65535,false",
        "dflockd://127.0.0.1,127.0.0.1,6388,false",
        "dflockd://127.0.0.1:7000/,127.0.0.1,7000,false",
        "dflockd://localhost:7000,localhost,7000,false",
        "dflockd://lock-1.example.org:7000,lock-1.example.org,7000,false",
        "dflockd://[::1]:7000,::1,7000,false",
        "dflockds://[::1],::1,6388,true",
        "dflockd://[::]:7000,::,7000,false",
        "dflockd://0.0.0.0:7000,0.0.0.0,7000,false"
    })
    void a_dflockd_url_has_protocol_host_and_port(String url, String host, int port, boolean tls) {
        assertThat(ListenUrl.parse(url)).isEqualTo(DflockdProtocol.endpoint(host, port, tls));
    }

    /** Describes the parsed endpoint in the notation of this test. */
    private static String describe(String url) {
        ListenEndpoint listenEndpoint = ListenUrl.parse(url);
        String where =
                switch (listenEndpoint.address()) {
                    case ListenAddress.Tcp(var host, int port) -> host + " " + port;
                    case ListenAddress.Unix(var path, var mode) ->
                            path + " " + (mode == null ? "-" : PosixFilePermissions.toString(mode));
                };
        String more =
                listenEndpoint.options() instanceof LockdOptions allowed
                        ? (listenEndpoint.scheme().name().startsWith("lockd+ws") ? " ws" : "")
                                + (allowed.allowDump() ? " dump" : "")
                                + (allowed.enableRegistry() ? " registry" : "")
                        : "";
        return where
                + (listenEndpoint.tls() ? " tls" : "")
                + more
                + " <"
                + listenEndpoint.options().namespace().name()
                + ">";
    }

    @ParameterizedTest
    @CsvSource({
        "lockd://127.0.0.1:7000,127.0.0.1 7000 <>",
        "lockd://127.0.0.1,127.0.0.1 9999 <>",
        "lockd://0.0.0.0:0/,0.0.0.0 0 <>",
        "lockds://[::1]:7000,::1 7000 tls <>",
        "lockds://[::1],::1 9999 tls <>",
        "lockd+ws://127.0.0.1:7000/,127.0.0.1 7000 ws <>",
        "lockd+ws://127.0.0.1,127.0.0.1 9998 ws <>",
        "lockd+wss://lock.example.org:7000,lock.example.org 7000 tls ws <>",
        "lockd+wss://[::]/,:: 9998 tls ws <>",
        "lockd+unix:///run/lockd.sock,/run/lockd.sock - <>",
        "lockd+unix://lockd.sock,lockd.sock - <>",
        "lockd+unix:///run/a b#c,/run/a b#c - <>",
        "lockd+unix:///run/lockd.sock?mode=0660,/run/lockd.sock rw-rw---- <>",
        "lockd+unix:///s?mode=600&allow-dump=true,/s rw------- dump <>",
        "lockd://h:1?allow-dump=true,h 1 dump <>",
        "lockd://h:1/?allow-dump=true,h 1 dump <>",
        "lockd://h:1?allow-dump,h 1 dump <>",
        "lockd://h:1?allow-dump=yes&enable-registry=1,h 1 dump registry <>",
        "lockd://h:1?allow-dump=false&enable-registry=no,h 1 <>",
        "lockd+ws://h?enable-registry=true,h 9998 ws registry <>",
        "lockd+wss://h?enable-registry=true&allow-dump=true,h 9998 tls ws dump registry <>",
        "lockd://h?namespace=team-a,h 9999 <team-a>",
        "lockd://h?namespace=,h 9999 <>",
        "lockd://h?namespace=a%20b%26c,h 9999 <a b&c>",
        "lockd+unix:///s?namespace=team-a,/s - <team-a>",
        "dflockd://h:1?namespace=team-a,h 1 <team-a>",
        "dflockds://h?namespace=team-a,h 6388 tls <team-a>"
    })
    void a_lockd_url_may_have_parameters(String url, String expected) {
        assertThat(describe(url)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "lockd:///,needs a host",
        "lockd+ws://:9998,needs a host",
        "lockd://127.0.0.1:70000,needs a port of 0-65535",
        "lockd://127.0.0.1:x,needs a host and a port",
        "lockd://127.0.0.1:1/path,must have a host and a port only",
        "lockd+ws://127.0.0.1:1/path,must have a host and a port only",
        "lockd://user@127.0.0.1:1,must have a host and a port only",
        "lockd://127.0.0.1:1#a,must have a host and a port only",
        "lockd+tcp://127.0.0.1:1,must begin with",
        "lockds+unix:///s,must begin with",
        "LOCKD://127.0.0.1:1,must begin with",
        "lockd+unix:/s,must begin with",
        "lockd+unix://,needs a path",
        "lockd+unix://?mode=0660,needs a path",
        "lockd://127.0.0.1:1?,has an unknown setting: ",
        "lockd://127.0.0.1:1?mode=0660,has an unknown setting: mode",
        "lockd://127.0.0.1:1?dump=true,has an unknown setting: dump",
        "lockd://127.0.0.1:1?Allow-dump=true,has an unknown setting: Allow-dump",
        "lockd://127.0.0.1:1?allow-dump=true&x=1,has an unknown setting: x",
        "lockd://127.0.0.1:1?allow-dump=maybe,has allow-dump=maybe: true or false",
        "lockd://127.0.0.1:1?enable-registry=,has enable-registry=: true or false",
        "lockd://127.0.0.1:1?allow-dump&allow-dump=false,has the parameter allow-dump twice",
        "lockd://127.0.0.1:1?namespace=%zz,is not a URL",
        "lockd+unix:///s?namespace=%zz,is not a URL",
        "dflockd://127.0.0.1:1?allow-dump=true,has an unknown setting: allow-dump"
    })
    void an_invalid_lockd_url_is_rejected_with_a_reason(String url, String reason) {
        assertThatThrownBy(() -> ListenUrl.parse(url))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("--listen " + url + " ")
                .hasMessageContaining(reason.strip());
    }

    private static String describeSocketlock(String url) {
        ListenEndpoint listenEndpoint = ListenUrl.parse(url);
        var socketlock = (SocketlockOptions) listenEndpoint.options();
        return listenEndpoint
                + " "
                + socketlock.policy()
                + " "
                + socketlock.key()
                + " <"
                + socketlock.namespace().name()
                + "> "
                + socketlock.limits().request().toMillis()
                + " "
                + socketlock.limits().confirm().toMillis()
                + " "
                + socketlock.limits().maxTtl().toMillis();
    }

    @ParameterizedTest
    @CsvSource({
        "socketlock:///run/a.sock,/run/a.sock null null <> 30000 30000 0",
        "socketlock://a.sock,a.sock null null <> 30000 30000 0",
        "socketlock:///s?policy=fifo&key=deploy,/s FIFO deploy <> 30000 30000 0",
        "socketlock:///s?policy=Reader,/s READER_PREFERRED null <> 30000 30000 0",
        "socketlock:///s?policy=writer,/s WRITER_PREFERRED null <> 30000 30000 0",
        "socketlock:///s?key=a%20b&namespace=team-a,/s null a b <team-a> 30000 30000 0",
        "socketlock:///s?request-timeout=2s&confirm-timeout=700ms&max-ttl=1m30s,"
                + "/s null null <> 2000 700 90000",
        "socketlock:///s?request-timeout=0&confirm-timeout=-1s&max-ttl=-1s,"
                + "/s null null <> 30000 30000 0",
        "socketlock:///s?mode=0600,/s null null <> 30000 30000 0"
    })
    void a_socketlock_url_may_have_parameters(String url, String expected) {
        assertThat(describeSocketlock(url)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "socketlock:/s,must begin with",
        "socketlock://,needs a path",
        "socketlock://?key=a,needs a path",
        "socketlock:///s?policy=lifo,'has policy=lifo: fifo, reader or writer'",
        "socketlock:///s?request-timeout=5,'has request-timeout=5: a time such as 700ms'",
        "socketlock:///s?max-ttl=,has max-ttl=: a time such as",
        "socketlock:///s?key=,has an empty key",
        "socketlock:///s?namespace=a,has a namespace without a key",
        "socketlock:///s?allow-dump=true,has an unknown setting: allow-dump"
    })
    void an_invalid_socketlock_url_is_rejected_with_a_reason(String url, String reason) {
        assertThatThrownBy(() -> ListenUrl.parse(url))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("--listen " + url + " ")
                .hasMessageContaining(reason);
    }

    @Test
    void a_namespace_with_a_control_character_is_rejected() {
        assertThatThrownBy(() -> ListenUrl.parse("dflockd://h:1?namespace=%00socketlock"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("control character");
    }

    @Test
    void an_invalid_mode_of_a_unix_socket_is_rejected() {
        assertThatThrownBy(() -> ListenUrl.parse("lockd+unix:///s?mode=rw"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("mode must be three octal digits, as in 0660 (got rw)");
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1:6388,must begin with",
        "localhost,must begin with",
        "localhost:6388,must begin with",
        "ftp://127.0.0.1:6388,must begin with",
        "tcp://127.0.0.1:6388,must begin with",
        "dflockdx://127.0.0.1:6388,must begin with",
        "dflockd:127.0.0.1:6388,must begin with",
        "dflockd:///,needs a host",
        "dflockd://:6388,needs a host",
        "dflockd://127.0.0.1:x,needs a host and a port",
        "dflockd://127.0.0.1:-1,needs a host and a port",
        "dflockd://127.0.0.1:65536,needs a port of 0-65535",
        "dflockd://127.0.0.1:99999999999,needs a host and a port",
        "dflockd://::1:6388,needs a host",
        "dflockd://[::1:6388,is not a URL",
        "dflockd://127.0.0.1:6388/path,must have a host and a port only",
        "dflockd://127.0.0.1:6388?a=b,has an unknown setting: a",
        "dflockd://127.0.0.1:6388#a,must have a host and a port only",
        "dflockd://user@127.0.0.1:6388,must have a host and a port only",
        "dflockd://a b:6388,is not a URL"
    })
    void an_invalid_url_is_rejected_with_a_reason(String url, String reason) {
        assertThatThrownBy(() -> ListenUrl.parse(url))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("--listen " + url + " ")
                .hasMessageContaining(reason);
    }
}
