package io.holdfast.client;

import java.time.Duration;
import java.util.OptionalLong;

/**
 * A leader election: the holder of the key is the leader.
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
    /** The work of the leader. Calls of one candidacy never overlap. */
    interface LeaderTask {
        /**
         * Runs while this client is the leader. Returning resigns; when leadership is lost the
         * thread is interrupted.
         */
        void lead(Hold leadership) throws Exception;
    }

    String key();

    /** Campaigns in the background, repeatedly, until the candidacy is closed. */
    Candidacy campaign(LeaderTask leaderTask);

    /** Waits to become the leader, once. */
    Hold lead(Duration timeout) throws InterruptedException;

    /**
     * A candidate in the background. Closing resigns: it interrupts the task and waits briefly for
     * it to end. A task that ignores the interrupt keeps the leadership until it ends.
     */
    interface Candidacy extends AutoCloseable {
        boolean isLeading();

        /** The fence of the current leadership; empty if this candidate is not the leader. */
        OptionalLong fence();

        @Override
        void close();
    }
}
