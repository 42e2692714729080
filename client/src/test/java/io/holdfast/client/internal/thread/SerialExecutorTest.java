package io.holdfast.client.internal.thread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

@DisplayName("A serial executor")
class SerialExecutorTest {
    private static final Executor NEW_THREAD = task -> new Thread(task).start();

    @Test
    void a_submitting_thread_is_not_kept() {
        var runner = SerialExecutor.onCallers(NEW_THREAD);
        var back = new AtomicBoolean();
        var ended = new CountDownLatch(1);
        var again =
                new Runnable() {
                    @Override
                    public void run() {
                        if (back.get()) {
                            ended.countDown();
                        } else {
                            runner.execute(this);
                        }
                    }
                };
        assertTimeoutPreemptively(
                Duration.ofSeconds(20),
                () -> {
                    runner.execute(again);
                    back.set(true);
                    assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
                });
    }

    static Stream<Arguments> executorsOfRejectedTasks() {
        Executor rejecting =
                task -> {
                    throw new RejectedExecutionException();
                };
        return Stream.of(
                Arguments.of(Named.of("on callers", SerialExecutor.onCallers(rejecting))),
                Arguments.of(Named.of("on an executor", SerialExecutor.on(rejecting))));
    }

    @ParameterizedTest
    @MethodSource("executorsOfRejectedTasks")
    void all_tasks_run_in_order_although_the_executor_rejects_them(SerialExecutor runner)
            throws InterruptedException {
        var ended = new CountDownLatch(1);
        List<Integer> seen = new ArrayList<>();
        runner.execute(
                () -> {
                    for (int i = 0; i < 1000; i++) {
                        int number = i;
                        runner.execute(() -> seen.add(number));
                    }
                    runner.execute(ended::countDown);
                });
        assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(seen).hasSize(1000).isSorted();
    }

    @Test
    void a_task_that_fails_does_not_stop_those_that_follow() {
        var runner = SerialExecutor.onCallers(NEW_THREAD);
        var ran = new AtomicBoolean();
        runner.execute(
                () -> {
                    throw new AssertionError("expected");
                });
        runner.execute(() -> ran.set(runner.isCurrentThread()));
        assertThat(ran).isTrue();
        assertThat(runner.isCurrentThread()).isFalse();
    }
}
