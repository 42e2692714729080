package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.server.ConfigException;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The name of an allowed site")
class AllowedOriginParserTest {
    @ParameterizedTest
    @CsvSource({
        "app.example.com,app.example.com",
        "app.example.com:8080,app.example.com",
        "https://app.example.com,app.example.com",
        "https://app.example.com:8443/,app.example.com",
        "localhost,localhost",
        "127.0.0.1,127.0.0.1",
        "[::1],[::1]",
        "http://[::1]:3000,[::1]"
    })
    void is_a_host_alone_or_in_an_origin(String text, String name) {
        assertThat(AllowedOriginParser.parse(text)).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"*", "*.example.com", "http://", "a b", "::1", "file:///x"})
    void is_no_pattern_and_nothing_without_a_host(String text) {
        assertThatThrownBy(() -> AllowedOriginParser.parse(text))
                .isInstanceOf(ConfigException.class)
                .hasMessage(
                        "--ws-allow-origin must be a host name, as in app.example.com (got "
                                + text
                                + ")");
    }
}
