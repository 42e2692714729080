package io.holdfast.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A request of the HTTP API")
class HttpReaderTest {
    @Test
    void has_everything_but_unreserved_characters_percent_encoded() {
        assertThat(HttpReader.encoded("a b+*~%7Eé/")).isEqualTo("a%20b%2B%2A~%257E%C3%A9%2F");
        assertThat(HttpReader.encoded("aZ09-._~")).isEqualTo("aZ09-._~");
    }
}
