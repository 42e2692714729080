package io.holdfast.testsupport;

import org.junit.jupiter.api.Tag;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a test that only {@code ./mvnw verify -Pthorough} runs: long random schedules, campaigns,
 * big states.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Tag(Thorough.TAG)
public @interface Thorough {
    /** The tag that the build excludes unless the profile is active. */
    String TAG = "thorough";
}
