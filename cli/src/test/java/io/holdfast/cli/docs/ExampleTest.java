package io.holdfast.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

@DisplayName("An example on a page")
class ExampleTest {
    private static Example parse(String text) {
        return new Page("here.md", ("## H\n\n```console\n" + text + "\n```").lines().toList())
                .examples()
                .getFirst();
    }

    @Test
    void an_example_is_parsed_into_steps_per_terminal() {
        Example example =
                parse(
                        """
                        # server
                        $ ./holdfast dflockd --max-locks 1
                        # terminal 1
                        $ nc -N 127.0.0.1 6388
                        listen
                        a.b

                        ok
                        l
                        k
                        5
                        # terminal 2
                        $ printf 'signal\\na.b\\nx\\nping\\n\\n\\n' | nc -N 127.0.0.1 6388
                        ok 1
                        ok
                        # terminal 1
                        sig a.b x
                        ok TOKEN 33
                        # server
                        ^C\
                        """);
        String nc = "nc -N 127.0.0.1 6388";
        assertThat(example.where()).isEqualTo("here.md:4");
        assertThat(example.heading()).isEqualTo("H");
        assertThat(example.hasOwnServer()).isTrue();
        assertThat(example.steps())
                .containsExactly(
                        new Example.Step.Serve(5, List.of("dflockd", "--max-locks", "1")),
                        new Example.Step.Open(7, "terminal 1", nc),
                        new Example.Step.Type(8, "terminal 1", List.of("listen", "a.b", "")),
                        new Example.Step.See(11, "terminal 1", "ok"),
                        new Example.Step.Type(12, "terminal 1", List.of("l", "k", "5")),
                        new Example.Step.Run(
                                16,
                                "printf 'signal\\na.b\\nx\\nping\\n\\n\\n' | " + nc,
                                List.of("ok 1", "ok")),
                        new Example.Step.See(20, "terminal 1", "sig a.b x"),
                        new Example.Step.See(21, "terminal 1", "ok TOKEN 33"),
                        new Example.Step.Interrupt(23));
        assertThat(example.requests())
                .containsExactly(
                        new Example.Request("listen", "a.b"),
                        new Example.Request("l", "k"),
                        new Example.Request("signal", "a.b"),
                        new Example.Request("ping", ""));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    '# terminal 1'                          | there is no command in it
                    ok                                      | nothing that reads runs in terminal 1
                    '# a remark'                            | nothing that reads runs in terminal 1
                    $ curl 127.0.0.1:6388                   | a command must be, or end with
                    $ nc 127.0.0.1 6388                     | a command must be, or end with
                    $ nc -N 127.0.0.1 6388;l;k              | a request has three lines
                    $ nc -N 127.0.0.1 6388;l;k;# terminal 2 | a request has three lines
                    $ nc -N 127.0.0.1 6388;l;k;0            | the last answer in terminal 1 is missing
                    $ nc -N 127.0.0.1 6388;$ nc -N 127.0.0.1 6388 | something else still runs
                    $ ./holdfast serve                      | a server comes first
                    ^C                                      | nothing that reads runs in terminal 1
                    """)
    void an_example_of_another_form_is_rejected(String lines, String reason) {
        assertThatThrownBy(() -> parse(lines.replace(';', '\n')))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("here.md:")
                .hasMessageContaining(reason);
    }

    @Test
    void only_blocks_of_kind_console_are_examples() {
        Page page = new Page("here.md", "```\n$ nc\n```\n```sh\n$ nc\n```".lines().toList());
        assertThat(page.blocks()).hasSize(2);
        assertThat(page.examples()).isEmpty();
    }

    @Test
    void requests_on_the_lockd_port_have_one_line() {
        Example example =
                parse(
                        """
                        $ nc -N 127.0.0.1 9999
                        g a
                        1 Lock Get Success: a
                        me
                        1 ADDRESS ADDRESS
                        # terminal 2
                        $ printf 'g two words\\nq\\n' | nc -N 127.0.0.1 9999
                        1 Lock Get Success: two words\
                        """);
        assertThat(example.steps())
                .containsExactly(
                        new Example.Step.Open(4, "terminal 1", "nc -N 127.0.0.1 9999"),
                        new Example.Step.Type(5, "terminal 1", List.of("g a")),
                        new Example.Step.See(6, "terminal 1", "1 Lock Get Success: a"),
                        new Example.Step.Type(7, "terminal 1", List.of("me")),
                        new Example.Step.See(8, "terminal 1", "1 ADDRESS ADDRESS"),
                        new Example.Step.Run(
                                10,
                                "printf 'g two words\\nq\\n' | nc -N 127.0.0.1 9999",
                                List.of("1 Lock Get Success: two words")));
        assertThat(example.requests())
                .containsExactly(
                        new Example.Request("g", "a"),
                        new Example.Request("me", ""),
                        new Example.Request("g", "two words"),
                        new Example.Request("q", ""));
    }

    @Test
    void the_verb_decides_which_socketlock_lines_are_typed() {
        Example example =
                parse(
                        """
                        # terminal 2
                        $ nc -N -U /tmp/locks.sock
                        HELLO
                        CONNECTED me
                        me REQREAD l1
                        me STATUS l1
                        me LOCKTIMEOUT l1
                        me READLOCK l1\
                        """);
        assertThat(example.steps())
                .containsExactly(
                        new Example.Step.Open(5, "terminal 2", "nc -N -U /tmp/locks.sock"),
                        new Example.Step.Type(6, "terminal 2", List.of("HELLO")),
                        new Example.Step.See(7, "terminal 2", "CONNECTED me"),
                        new Example.Step.Type(8, "terminal 2", List.of("me REQREAD l1")),
                        new Example.Step.Type(9, "terminal 2", List.of("me STATUS l1")),
                        new Example.Step.See(10, "terminal 2", "me LOCKTIMEOUT l1"),
                        new Example.Step.See(11, "terminal 2", "me READLOCK l1"));
    }
}
