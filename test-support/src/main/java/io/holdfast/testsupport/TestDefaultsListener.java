package io.holdfast.testsupport;

import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

import java.time.Duration;

/**
 * Sets the defaults of every test JVM and validates {@code -Drequire}. Awaitility gets a long
 * timeout, which costs nothing when the condition becomes true, and a short poll interval. JUnit
 * finds this class by its service file.
 */
public final class TestDefaultsListener implements LauncherSessionListener {
    @Override
    public void launcherSessionOpened(LauncherSession session) {
        ProgramCondition.required(); // rejects a misspelt name early
        Awaitility.setDefaultTimeout(Duration.ofMinutes(1));
        Awaitility.setDefaultPollDelay(Duration.ZERO);
        Awaitility.setDefaultPollInterval(Duration.ofMillis(10));
    }
}
