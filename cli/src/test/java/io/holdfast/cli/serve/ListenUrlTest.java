package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.server.ConfigException;
import io.holdfast.server.Endpoint;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
    void names_a_protocol_a_host_and_a_port(String url, String host, int port, boolean tls) {
        assertThat(ListenUrl.parse(url)).isEqualTo(new Endpoint(host, port, tls));
    }

    @ParameterizedTest
    @CsvSource({
        "'','must begin with dflockd://, dflockds://, lockd://'",
        "127.0.0.1:6388,must begin with",
        "localhost,must begin with",
        "localhost:6388,must begin with",
        "http://127.0.0.1:6388,must begin with",
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
        "dflockd://[::1:6388,is no URL",
        "dflockd://127.0.0.1:6388/path,has more in it",
        "dflockd://127.0.0.1:6388?a=b,has an unknown setting: a",
        "dflockd://127.0.0.1:6388#a,has more in it",
        "dflockd://user@127.0.0.1:6388,has more in it",
        "dflockd://a b:6388,is no URL"
    })
    void is_refused_with_a_reason(String url, String reason) {
        assertThatThrownBy(() -> ListenUrl.parse(url))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("--listen " + url + " ")
                .hasMessageContaining(reason);
    }
}
