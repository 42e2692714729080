package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.driver.config.ConfigException;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("An allowed origin")
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
    void a_host_or_an_origin_with_a_host_is_accepted(String text, String name) {
        assertThat(AllowedOriginParser.parse(text)).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"*", "*.example.com", "http://", "a b", "::1", "file:///x"})
    void patterns_and_text_without_a_host_are_rejected(String text) {
        assertThatThrownBy(() -> AllowedOriginParser.parse(text))
                .isInstanceOf(ConfigException.class)
                .hasMessage(
                        "--ws-allow-origin must be a host name, as in app.example.com (got "
                                + text
                                + ")");
    }
}
