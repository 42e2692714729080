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

@DisplayName("The serial executors")
class SerialTaskRunnerTest {
    private static final Executor NEW_THREAD = task -> new Thread(task).start();

    /** Runs tasks one at a time. */
    private interface TaskRunner {
        void run(Runnable task);
    }

    private static void isNotKept(Function<Executor, TaskRunner> make) {
        TaskRunner runner = make.apply(NEW_THREAD);
        var back = new AtomicBoolean();
        var ended = new CountDownLatch(1);
        var again =
                new Runnable() {
                    @Override
                    public void run() {
                        if (back.get()) {
                            ended.countDown();
                        } else {
                            runner.run(this);
                        }
                    }
                };
        assertTimeoutPreemptively(
                Duration.ofSeconds(20),
                () -> {
                    runner.run(again);
                    back.set(true);
                    assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
                });
    }

    private static void runsAllInOrder(Function<Executor, TaskRunner> make) {
        TaskRunner runner =
                make.apply(
                        task -> {
                            throw new RejectedExecutionException();
                        });
        List<Integer> seen = new ArrayList<>();
        runner.run(
                () -> {
                    for (int i = 0; i < 1000; i++) {
                        int number = i;
                        runner.run(() -> seen.add(number));
                    }
                });
        assertThat(seen).hasSize(1000).isSorted();
    }

    @Test
    void a_submitting_thread_is_not_kept_by_a_serial_task_runner() {
        isNotKept(executor -> new SerialTaskRunner(executor)::run);
    }

    @Test
    void a_submitting_thread_is_not_kept_by_a_caller_runs_serial_executor() {
        isNotKept(executor -> new CallerRunsSerialExecutor(executor)::execute);
    }

    @Test
    void a_submitting_thread_runs_all_tasks_if_the_executor_rejects_them() {
        runsAllInOrder(executor -> new SerialTaskRunner(executor)::run);
        runsAllInOrder(executor -> new CallerRunsSerialExecutor(executor)::execute);
    }
}
