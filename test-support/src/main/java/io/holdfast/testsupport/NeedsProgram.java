package io.holdfast.testsupport;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a test class or method that uses programs which may be missing on a machine. If one is
 * missing, the test is skipped and counted in the summary at the end of the build. With {@code
 * -Drequire=chromium,nc} it fails instead: CI requires the programs that it has installed.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@ExtendWith(ProgramCondition.class)
@Tag(NeedsProgram.TAG)
public @interface NeedsProgram {
    /** The tag of all these tests; {@code -Dgroups=needs-program} selects them. */
    String TAG = "needs-program";

    OutsideProgram[] value();
}
