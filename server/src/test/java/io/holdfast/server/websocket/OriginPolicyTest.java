package io.holdfast.server.websocket;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Set;

@DisplayName("The origin policy of WebSockets")
class OriginPolicyTest {
    private final OriginPolicy none = new OriginPolicy(Set.of());
    private final OriginPolicy some = new OriginPolicy(Set.of("app.example", "Locks.Example"));

    private static boolean allows(OriginPolicy originPolicy, String origin, String host) {
        return originPolicy.allow(List.of(origin), List.of(host));
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost:9998", "evil.example", "", "not a host"})
    void a_client_without_an_origin_is_allowed_whatever_its_host_header(String host) {
        assertThat(none.allow(List.of(), List.of(host))).isTrue();
        assertThat(none.allow(List.of(), List.of())).isTrue();
        assertThat(none.allow(List.of(), List.of(host, host))).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "http://localhost, localhost",
        "http://localhost:3000, localhost:9998",
        "https://localhost, localhost:9998",
        "http://localhost/, localhost:9998",
        "HTTP://LocalHost:3000, LOCALHOST",
        "http://127.0.0.1:8080, 127.0.0.1:9998",
        "http://192.168.7.1, 192.168.7.1:9998",
        "http://0.0.0.0:8080, 0.0.0.0:9998",
        "http://[::1]:8080, [::1]:9998",
        "http://[::1], [::1]",
        "http://[FE80::A], [fe80::a]:9998",
    })
    void a_page_from_the_same_host_is_allowed_whatever_its_port(String origin, String host) {
        assertThat(allows(none, origin, host)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "http://evil.example, localhost:9998",
        "http://evil.example, 127.0.0.1:9998",
        "http://evil.example, [::1]:9998",
        "http://localhost, 127.0.0.1:9998",
        "http://127.0.0.1, localhost:9998",
        "http://127.0.0.2, 127.0.0.1:9998",
        "http://10.0.0.1, 10.0.0.10",
        "http://[::2], [::1]",
        "http://localhost.evil.example, localhost",
        "http://notlocalhost, localhost",
        "http://xn--lcalhost-54a, localhost",
    })
    void a_page_from_another_host_is_not_allowed(String origin, String host) {
        assertThat(allows(none, origin, host)).isFalse();
        assertThat(allows(some, origin, host)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"evil.example", "devbox", "localhost.example", "127.0.0.1.nip.example"})
    void a_page_whose_own_host_name_resolves_to_this_server_is_not_allowed(String name) {
        assertThat(allows(none, "http://" + name, name + ":9998")).isFalse();
        assertThat(allows(some, "http://" + name, name + ":9998")).isFalse();
        assertThat(allows(none, "http://" + name + ":9998", name + ":9998")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:9998", "localhost", "[::1]:1", "app.example:9998"})
    void a_page_from_a_listed_host_is_allowed(String host) {
        assertThat(allows(some, "https://app.example", host)).isTrue();
        assertThat(allows(some, "http://APP.example:8080/", host)).isTrue();
        assertThat(allows(some, "http://locks.example", host)).isTrue();
        assertThat(allows(some, "http://sub.app.example", host)).isFalse();
        assertThat(allows(some, "http://xapp.example", host)).isFalse();
    }

    @Test
    void a_listed_origin_with_a_host_that_is_not_listed_is_not_allowed() {
        assertThat(allows(some, "http://app.example", "evil.example")).isFalse();
        assertThat(allows(some, "http://evil.example", "app.example")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                "NULL",
                "",
                " ",
                "*",
                "localhost",
                "localhost:9998",
                "about:blank",
                "data:text/html",
                "mailto:localhost",
                "file:///",
                "file://",
                "http:",
                "http:localhost",
                "http:/localhost",
                "http://",
                "http:///localhost",
                "://localhost",
                "http://localhost http://localhost",
                "http://localhost, http://localhost",
                "http://localhost\\@evil.example",
                "http://evil.example\\localhost",
                "http://localhost%00.evil.example",
                "http://localhost\0.evil.example",
                "http://local host",
                "http://[::1",
                "http://::1",
                "http://[localhost]",
                "http://[v1.localhost]",
                "http://localhost:port",
                "http://localhost:80:80",
                "\u2028http://localhost",
            })
    void an_invalid_origin_is_not_allowed(String origin) {
        for (String host : List.of("localhost:9998", "127.0.0.1:9998", "[::1]:9998")) {
            assertThat(allows(none, origin, host)).as(host).isFalse();
            assertThat(allows(some, origin, host)).as(host).isFalse();
        }
    }

    @Test
    void the_null_origin_is_not_allowed_even_if_listed() {
        assertThat(allows(new OriginPolicy(Set.of("null", "")), "null", "localhost")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://localhost@evil.example",
                "http://localhost:80@evil.example",
                "http://evil.example@localhost",
                "http://@localhost",
                "http://evil.example?localhost",
                "http://evil.example#localhost",
                "http://localhost?evil.example",
                "http://localhost#evil.example",
                "http://localhost/evil.example",
                "http://localhost//",
                "http://evil.example/localhost",
                "http://evil.example;localhost",
            })
    void an_origin_with_more_than_a_host_is_not_allowed(String origin) {
        assertThat(allows(none, origin, "localhost")).isFalse();
        assertThat(allows(none, origin, "evil.example")).isFalse();
    }

    /**
     * A browser sends an address in one form only; other forms are names that an attacker may own.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.1",
                "2130706433",
                "0x7f000001",
                "0x7f.0.0.1",
                "017700000001",
                "127.0.0.1.",
                "127.0.0.256",
                "1.2.3.4.5",
                "localhost.",
                "localhost.localdomain",
                "app.example.",
                "_localhost",
                "local_host",
                "-",
            })
    void an_unusual_spelling_of_the_host_is_not_allowed(String host) {
        assertThat(allows(none, "http://" + host, host)).isFalse();
        assertThat(allows(some, "http://" + host, host + ":9998")).isFalse();
        assertThat(allows(none, "http://localhost", host)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                ":9998",
                "evil.example@localhost",
                "localhost@evil.example",
                "localhost/x",
                "localhost?x",
                "localhost#x",
                "localhost, localhost",
                "localhost localhost",
                "//localhost",
                "http://localhost",
                "[::1",
                "::1",
                "localhost:x",
            })
    void an_invalid_host_header_is_not_allowed(String host) {
        assertThat(allows(none, "http://localhost", host)).isFalse();
        assertThat(allows(none, "http://[::1]", host)).isFalse();
    }

    @Test
    void two_origins_or_two_hosts_or_an_origin_without_host_are_not_allowed() {
        String page = "http://localhost";
        String host = "localhost";
        assertThat(none.allow(List.of(page), List.of(host))).isTrue();
        assertThat(none.allow(List.of(page, page), List.of(host))).isFalse();
        assertThat(none.allow(List.of(page, "http://evil.example"), List.of(host))).isFalse();
        assertThat(none.allow(List.of(page), List.of(host, host))).isFalse();
        assertThat(none.allow(List.of(page), List.of("evil.example", host))).isFalse();
        assertThat(none.allow(List.of(page), List.of())).isFalse();
    }
}
