package io.holdfast.driver;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Threads that start together. An exception of any of them fails the test. */
final class ParallelThreads implements AutoCloseable {
    /** The task of one thread. */
    interface Job {
        void run(int member) throws Exception;
    }

    private final ExecutorService threads = Executors.newCachedThreadPool();

    /** Runs a job on a number of threads at once and waits until all are done. */
    void run(int members, Job job) throws Exception {
        CyclicBarrier start = new CyclicBarrier(members);
        List<Future<?>> done = new ArrayList<>();
        for (int i = 0; i < members; i++) {
            int member = i;
            done.add(
                    threads.submit(
                            () -> {
                                start.await();
                                job.run(member);
                                return null;
                            }));
        }
        for (Future<?> future : done) {
            try {
                future.get(RecordingMailbox.LIMIT.toSeconds() * 2, TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                throw new AssertionError("a thread failed", e.getCause());
            } catch (TimeoutException e) {
                throw new AssertionError("a thread hangs", e);
            }
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
