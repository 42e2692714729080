package io.holdfast.cli.watch;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Decodes the bytes that a terminal sends to key presses. */
final class Keyboard {
    private static final int INTERRUPT = 3;
    private static final int ESCAPE = 27;
    private static final int GONE = -1;
    private static final int MAX_WAITING = 4096;

    /** The bytes of an escape sequence arrive within this time, even over a slow connection. */
    private static final long TOGETHER_MILLIS = 100;

    private final BlockingQueue<Integer> bytes = new LinkedBlockingQueue<>(MAX_WAITING);
    private final Consumer<KeyPress> pressed;

    private Keyboard(Consumer<KeyPress> pressed) {
        this.pressed = pressed;
    }

    /** Starts reading, until the input ends. */
    static void start(InputStream in, Consumer<KeyPress> pressed) {
        Keyboard keyboard = new Keyboard(pressed);
        Thread.ofPlatform().daemon().name("holdfast-bytes").start(() -> keyboard.read(in));
        Thread.ofPlatform().daemon().name("holdfast-keys").start(keyboard::run);
    }

    private void read(InputStream in) {
        try {
            int next;
            do {
                next = next(in);
                if (next == INTERRUPT) {
                    pressed.accept(KeyPress.SpecialKey.INTERRUPT);
                } else {
                    bytes.put(next);
                }
            } while (next != GONE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static int next(InputStream in) {
        try {
            return in.read();
        } catch (IOException e) {
            return GONE;
        }
    }

    private void run() {
        try {
            int next = bytes.take();
            while (next != GONE) {
                KeyPress keyPress = key(next);
                if (keyPress != null) {
                    pressed.accept(keyPress);
                }
                next = bytes.take();
            }
            pressed.accept(KeyPress.SpecialKey.GONE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private @Nullable KeyPress key(int first) throws InterruptedException {
        return switch (first) {
            case '\r', '\n' -> KeyPress.SpecialKey.ENTER;
            case 8, 127 -> KeyPress.SpecialKey.ERASE;
            case ESCAPE -> escaped();
            default -> first < ' ' ? null : new KeyPress.Typed(character(first));
        };
    }

    /** Reads the rest of a character in UTF-8. */
    private int character(int first) throws InterruptedException {
        int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
        int character = more == 0 ? first : first & (0x3f >> more);
        for (int i = 0; i < more; i++) {
            character = (character << 6) | (next() & 0x3f);
        }
        return Character.isValidCodePoint(character) ? character : '?';
    }

    /** Returns the next byte of a sequence, or -1 if none arrives in time. */
    private int next() throws InterruptedException {
        Integer next = bytes.poll(TOGETHER_MILLIS, TimeUnit.MILLISECONDS);
        if (next != null && next == GONE) {
            bytes.put(GONE); // so that run() sees it too
        }
        return next == null ? GONE : next;
    }

    private @Nullable KeyPress escaped() throws InterruptedException {
        int kind = next();
        if (kind != '[' && kind != 'O') {
            return KeyPress.SpecialKey.ESCAPE;
        }
        StringBuilder number = new StringBuilder();
        int last = next();
        while (last >= '0' && last <= ';') {
            number.append((char) last);
            last = next();
        }
        return switch (last) {
            case 'A' -> KeyPress.SpecialKey.UP;
            case 'B' -> KeyPress.SpecialKey.DOWN;
            case 'H' -> KeyPress.SpecialKey.HOME;
            case 'F' -> KeyPress.SpecialKey.END;
            case '~' ->
                    switch (number.toString()) {
                        case "1", "7" -> KeyPress.SpecialKey.HOME;
                        case "4", "8" -> KeyPress.SpecialKey.END;
                        case "5" -> KeyPress.SpecialKey.PAGE_UP;
                        case "6" -> KeyPress.SpecialKey.PAGE_DOWN;
                        default -> null;
                    };
            default -> null;
        };
    }
}
