package io.holdfast.testsupport;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A test class or method that uses programs which a machine need not have. Without one of them it
 * is skipped, and the summary at the end of the build counts it. {@code -Drequire=chromium,nc}
 * makes it fail instead: CI requires what it has installed.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@ExtendWith(ProgramCondition.class)
@Tag(NeedsProgram.TAG)
public @interface NeedsProgram {
    /** Selects all of these tests: {@code -Dgroups=needs-program}. */
    String TAG = "needs-program";

    OutsideProgram[] value();
}
