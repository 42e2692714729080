package io.holdfast.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

@DisplayName("A keyboard")
class KeyboardTest {
    private static List<KeyPress> keys(String sent) throws InterruptedException {
        BlockingQueue<KeyPress> pressed = new LinkedBlockingQueue<>();
        Keyboard.start(
                new ByteArrayInputStream(sent.getBytes(StandardCharsets.UTF_8)), pressed::add);
        List<KeyPress> keys = new ArrayList<>();
        while (!keys.contains(KeyPress.SpecialKey.GONE)) {
            KeyPress next = pressed.poll(60, TimeUnit.SECONDS);
            assertThat(next).as("after %s", keys).isNotNull();
            keys.add(next);
        }
        keys.removeLast();
        return keys;
    }

    @Test
    void typed_letters_are_decoded_as_key_presses() throws InterruptedException {
        assertThat(keys("qé鍵🔒"))
                .containsExactly(
                        new KeyPress.Typed('q'),
                        new KeyPress.Typed('é'),
                        new KeyPress.Typed('鍵'),
                        new KeyPress.Typed(0x1f512));
    }

    @Test
    void ctrl_c_overtakes_other_keys() throws InterruptedException {
        assertThat(keys("\u001b\u0003"))
                .contains(KeyPress.SpecialKey.INTERRUPT, KeyPress.SpecialKey.ESCAPE);
    }

    @Test
    void movement_keys_are_decoded() throws InterruptedException {
        assertThat(keys("\u001b[A\u001b[B\u001bOA\u001bOB\u001b[5~\u001b[6~\u001b[H\u001b[F"))
                .containsExactly(
                        KeyPress.SpecialKey.UP,
                        KeyPress.SpecialKey.DOWN,
                        KeyPress.SpecialKey.UP,
                        KeyPress.SpecialKey.DOWN,
                        KeyPress.SpecialKey.PAGE_UP,
                        KeyPress.SpecialKey.PAGE_DOWN,
                        KeyPress.SpecialKey.HOME,
                        KeyPress.SpecialKey.END);
    }

    @Test
    void editing_keys_are_decoded() throws InterruptedException {
        assertThat(keys("\r\n\b\u007f"))
                .containsExactly(
                        KeyPress.SpecialKey.ENTER,
                        KeyPress.SpecialKey.ENTER,
                        KeyPress.SpecialKey.ERASE,
                        KeyPress.SpecialKey.ERASE);
    }

    @Test
    void unknown_escape_sequences_of_a_terminal_are_ignored() throws InterruptedException {
        assertThat(keys("\u0001\u001b[1;5C\u001b[99~x")).containsExactly(new KeyPress.Typed('x'));
    }

    @Test
    void a_single_escape_key_is_decoded() throws InterruptedException {
        assertThat(keys("\u001b")).containsExactly(KeyPress.SpecialKey.ESCAPE);
    }
}
