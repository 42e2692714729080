package io.holdfast.client;

import java.time.Duration;
import java.util.OptionalLong;

/**
 * An election: whoever holds the key leads.
 *
 * {@snippet :
 * CountDownLatch led = new CountDownLatch(1);
 * LeaderElection.LeaderTask task =
 *         leadership -> {
 *             led.countDown();
 *             Thread.sleep(60_000); // the work; interrupted when leadership is lost
 *         };
 * try (LeaderElection.Candidacy candidacy = holdfast.leaderElection("scheduler").campaign(task)) {
 *     System.out.println(led.await(10, TimeUnit.SECONDS)); // true
 * }
 * }
 */
public interface LeaderElection {
    /** What a candidate does. Called one after the other, never two at once. */
    interface LeaderTask {
        /** Leads; ends when this returns or, interrupted, when leadership is lost. */
        void lead(Hold leadership) throws Exception;
    }

    String key();

    /** Campaigns in the background, again and again, until the candidacy is closed. */
    Candidacy campaign(LeaderTask leaderTask);

    /** Waits to lead, once. */
    Hold lead(Duration timeout) throws InterruptedException;

    /**
     * A standing candidate. Closing resigns: the duty is interrupted, and waited for briefly. One
     * that goes on all the same keeps the leadership until it ends.
     */
    interface Candidacy extends AutoCloseable {
        boolean isLeading();

        /** Of the present leadership, if it is ours. */
        OptionalLong fence();

        @Override
        void close();
    }
}
