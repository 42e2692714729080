package io.holdfast.testsupport;

import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

import java.time.Duration;

/**
 * How Awaitility waits in every module: long, since a deadline costs nothing when the condition
 * comes, and with short pauses. JUnit finds this class by its service file.
 */
public final class WaitingDefaults implements LauncherSessionListener {
    static final Duration TIMEOUT = Duration.ofMinutes(1);

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        Awaitility.setDefaultTimeout(TIMEOUT);
        Awaitility.setDefaultPollDelay(Duration.ZERO);
        Awaitility.setDefaultPollInterval(Duration.ofMillis(10));
    }
}
