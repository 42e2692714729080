package io.holdfast.client.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

@DisplayName("Who comes with a task while there are always more")
class SerialTaskRunnerTest {
    private static final Executor NEW_THREAD = task -> new Thread(task).start();

    /** Runs one task after the other. */
    private interface Line {
        void run(Runnable task);
    }

    private static void isNotKept(Function<Executor, Line> make) {
        Line line = make.apply(NEW_THREAD);
        var back = new AtomicBoolean();
        var ended = new CountDownLatch(1);
        var again =
                new Runnable() {
                    @Override
                    public void run() {
                        if (back.get()) {
                            ended.countDown();
                        } else {
                            line.run(this);
                        }
                    }
                };
        assertTimeoutPreemptively(
                Duration.ofSeconds(20),
                () -> {
                    line.run(again);
                    back.set(true);
                    assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
                });
    }

    private static void runsAllInOrder(Function<Executor, Line> make) {
        Line line =
                make.apply(
                        task -> {
                            throw new RejectedExecutionException();
                        });
        List<Integer> seen = new ArrayList<>();
        line.run(
                () -> {
                    for (int i = 0; i < 1000; i++) {
                        int number = i;
                        line.run(() -> seen.add(number));
                    }
                });
        assertThat(seen).hasSize(1000).isSorted();
    }

    @Test
    void is_not_kept_by_a_tagged_service() {
        isNotKept(others -> new SerialTaskRunner(others)::run);
    }

    @Test
    void is_not_kept_by_a_plain_service() {
        isNotKept(others -> new CallerRunsSerialExecutor(others)::execute);
    }

    @Test
    void runs_them_all_if_nobody_else_does() {
        runsAllInOrder(others -> new SerialTaskRunner(others)::run);
        runsAllInOrder(others -> new CallerRunsSerialExecutor(others)::execute);
    }
}
