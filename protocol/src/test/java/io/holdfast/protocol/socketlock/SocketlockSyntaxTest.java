package io.holdfast.protocol.socketlock;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A socketlock line")
class SocketlockSyntaxTest {
    private static String parse(String line) {
        return SocketlockText.describe(SocketlockSyntax.parse(SocketlockText.bytes(line)));
    }

    private static String requestArguments(ClientIdSource clientIdSource, String arguments) {
        var requestLock =
                (SocketlockRequest.RequestLock)
                        SocketlockSyntax.parse(SocketlockText.bytes("I REQREAD " + arguments));
        return SocketlockText.describe(
                SocketlockSyntax.requestArguments(clientIdSource, requestLock));
    }

    @ParameterizedTest
    @CsvSource({
        "HELLO, hello",
        "node-7 HELLO, node-7|hello",
        "HELLO HELLO, HELLO|hello",
        "I REQREAD, I|ask READ|-|-",
        "I REQREAD l1, I|ask READ|l1|-",
        "I REQWRITE l1 2, I|ask WRITE|l1|2",
        "I REQWRITE l1 2 and more, I|ask WRITE|l1|2",
        "I CONFIRM l1, I|confirm|l1",
        "I REJECT l1, I|reject|l1",
        "I RELEASE l1, I|release|l1",
        "I STATUS l1, I|status|l1",
        "I PING, I|ping",
        "I PING now please, I|ping",
        "I EOL, I|eol",
        "I EOL at last, I|eol",
        "I EPOCH, I|epoch",
        "I PROCESS b:n:12:345, I|process|b:n:12:345",
        "I REASSERT l1 READ 7, I|reassert|l1|READ|7|0",
        "I REASSERT l1 WRITE 0 12, I|reassert|l1|WRITE|0|12",
        "I SETTLED, I|settled",
        "I TOKEN l1, I|token|l1"
    })
    void a_socketlock_line_is_parsed_as_a_request(String line, String parsed) {
        assertThat(parse(line)).isEqualTo(parsed);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "\r",
                "hello",
                "EOL",
                "PING",
                "I",
                "I ping",
                "I NOSUCH l1",
                "HELLO there",
                "I CONFIRM",
                "I REJECT ",
                "I RELEASE",
                "I STATUS\t",
                "I TOKEN",
                "I PROCESS",
                "I REASSERT",
                "I REASSERT l1",
                "I REASSERT l1 READ",
                "I REASSERT l1 read 1",
                "I REASSERT l1 READ x",
                "I REASSERT l1 READ -1",
                "I REASSERT l1 READ 1 0",
                "I REASSERT l1 READ 1 x",
                "I REASSERT l1 READ 99999999999999999999"
            })
    void an_unknown_socketlock_line_is_ignored(String line) {
        assertThat(parse(line)).isEqualTo("nothing");
    }

    @Test
    void the_fields_of_a_socketlock_line_are_separated_by_any_whitespace() {
        assertThat(parse("\t I \u000b REQREAD\f\f l1  \r")).isEqualTo("I|ask READ|l1|-");
        assertThat(parse(" HELLO \r")).isEqualTo("hello");
    }

    @Test
    void the_lock_of_a_socketlock_line_is_the_rest_of_the_line() {
        assertThat(parse("I STATUS one   two \r")).isEqualTo("I|status|one two");
        assertThat(parse("I CONFIRM l1 please")).isEqualTo("I|confirm|l1 please");
    }

    @Test
    void a_socketlock_line_keeps_the_bytes_of_its_fields() {
        assertThat(parse("\u00ff\u0000 STATUS \u00fe\u0001\u0000"))
                .isEqualTo("\u00ff\u0000|status|\u00fe\u0001\u0000");
        assertThat(parse("I STATUS a\u00c2\u00a0b \u00e2\u0080\u0083")) // spaces of Unicode
                .isEqualTo("I|status|a\u00c2\u00a0b \u00e2\u0080\u0083");
    }

    @ParameterizedTest
    @CsvSource({
        "'', invalid ttl",
        "x, x 0",
        "5, 5 0",
        "x 1, x 1",
        "x +2, x 2",
        "x 0002, x 2",
        "x 9223372036854775807, x 9223372036854775807",
        "x 2 rubbish, x 2",
        "x 0, invalid ttl",
        "x -1, invalid ttl",
        "x 1.5, invalid ttl",
        "x 2s, invalid ttl",
        "x abc, invalid ttl",
        "x 0x1, invalid ttl",
        "x 1_0, invalid ttl",
        "x +, invalid ttl",
        "x ٣, invalid ttl",
        "x 9223372036854775808, invalid ttl",
        "x 99999999999999999999, invalid ttl"
    })
    void the_arguments_of_a_lock_request_when_the_server_chose_the_id(
            String arguments, String read) {
        assertThat(requestArguments(ClientIdSource.SERVER, arguments)).isEqualTo(read);
    }

    @ParameterizedTest
    @CsvSource({
        "'', - 0",
        "5, - 5",
        "+5, - 5",
        "5 x, - 5",
        "0, invalid ttl",
        "-3, invalid ttl",
        "99999999999999999999, invalid ttl",
        "x, x 0",
        "2s, 2s 0",
        "x 3, x 3",
        "x 0, invalid ttl"
    })
    void the_arguments_of_a_lock_request_when_the_client_chose_the_id(
            String arguments, String read) {
        assertThat(requestArguments(ClientIdSource.CLIENT, arguments)).isEqualTo(read);
    }

    @Test
    void a_socketlock_number_may_have_any_number_of_leading_zeros() {
        assertThat(requestArguments(ClientIdSource.SERVER, "x " + "0".repeat(300) + "7"))
                .isEqualTo("x 7");
        assertThat(requestArguments(ClientIdSource.SERVER, "x " + "9".repeat(60_000)))
                .isEqualTo("invalid ttl");
    }
}
