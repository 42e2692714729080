package io.holdfast.testsupport;

import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

import java.time.Duration;

/**
 * What holds in every test JVM. Awaitility waits long, since a deadline costs nothing when the
 * condition comes, and with short pauses. {@code -Drequire} names programs that tests can need.
 * JUnit finds this class by its service file.
 */
public final class TestSession implements LauncherSessionListener {
    @Override
    public void launcherSessionOpened(LauncherSession session) {
        ProgramCondition.required(); // refuses a misspelt name at once
        Awaitility.setDefaultTimeout(Duration.ofMinutes(1));
        Awaitility.setDefaultPollDelay(Duration.ZERO);
        Awaitility.setDefaultPollInterval(Duration.ofMillis(10));
    }
}
