package io.holdfast.protocol.lockd;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The verbs of commands, sorted. */
public enum LockdVerb {
    D("d"),
    DUMP("dump"),
    G("g"),
    I("i"),
    IAM("iam"),
    ME("me"),
    Q("q"),
    R("r"),
    SD("sd"),
    SG("sg"),
    SI("si"),
    SR("sr"),
    WHO("who");

    private static final Map<String, LockdVerb> BY_TEXT =
            Arrays.stream(values())
                    .collect(Collectors.toUnmodifiableMap(LockdVerb::text, Function.identity()));

    /** The verbs of one character, which are the common ones, by that character. */
    private static final @Nullable LockdVerb[] BY_CHARACTER = new LockdVerb[128];

    static {
        for (LockdVerb verb : values()) {
            if (verb.text.length() == 1) {
                BY_CHARACTER[verb.text.charAt(0)] = verb;
            }
        }
    }

    private final String text;

    LockdVerb(String text) {
        this.text = text;
    }

    /** Whether {@code q} lists its counter even before it was first used. */
    public boolean isAlwaysCounted() {
        return switch (this) {
            case IAM, ME, WHO -> false;
            case D, DUMP, G, I, Q, R, SD, SG, SI, SR -> true;
        };
    }

    public String text() {
        return text;
    }

    /** Null for an unknown verb. Case-sensitive. */
    static @Nullable LockdVerb of(byte[] bytes, int start, int end) {
        if (end - start == 1) {
            byte character = bytes[start];
            return character < 0 ? null : BY_CHARACTER[character];
        }
        return BY_TEXT.get(new String(bytes, start, end - start, StandardCharsets.ISO_8859_1));
    }
}
