package io.holdfast.lockd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

@DisplayName("The splitting of input into lines")
class LineSplitterTest {
    private final LineSplitter splitter = new LineSplitter(1000);
    private final List<String> lines = new ArrayList<>();

    @Test
    void input_is_split_at_both_kinds_of_line_ends_and_empty_lines_are_skipped() throws Exception {
        feed("one\r\ntwo\n\n\r\nthree\r\r\nfo");
        assertThat(lines).containsExactly("one", "two", "three\r");
        assertThat(splitter.rest()).isEqualTo("fo");
        feed("ur\n");
        assertThat(lines).endsWith("four");
        assertThat(splitter.rest()).isEmpty();
    }

    @Test
    void input_gives_the_same_lines_byte_by_byte() throws Exception {
        String responses = "1 Lock Get Success: gr\u00fcn\r\n0 disabled\n";
        for (byte b : responses.getBytes(StandardCharsets.UTF_8)) {
            splitter.feed(ByteBuffer.wrap(new byte[] {b}), lines::add);
        }
        assertThat(lines).containsExactly("1 Lock Get Success: gr\u00fcn", "0 disabled");
    }

    @Test
    void input_may_end_within_the_line_end_of_an_empty_line() throws Exception {
        feed("a\n\r");
        assertThat(splitter.rest()).isEmpty();
    }

    @Test
    void a_line_over_the_limit_is_refused() throws Exception {
        feed("x".repeat(1000) + "\n");
        assertThat(lines).containsExactly("x".repeat(1000));
        assertThatThrownBy(() -> feed("x".repeat(1001)))
                .isInstanceOf(LockdProtocolException.class)
                .hasMessage("A line of more than 1000 bytes");
    }

    private void feed(String text) throws LockdProtocolException {
        splitter.feed(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), lines::add);
    }
}
