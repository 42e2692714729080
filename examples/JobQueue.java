import io.holdfast.client.Holdfast;
import io.holdfast.client.ItemList;
import io.holdfast.client.Signals;

import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;

/**
 * Jobs are in a list, and a signal announces new ones. Two workers share a queue group, so each signal wakes one of them. A worker that was woken takes all jobs from the list, so a missed signal does no harm.
 */
class JobQueue {
    private static final int JOBS = 6;

    public static void main(String[] args) throws Exception {
        String server = args.length > 0 ? args[0] : "127.0.0.1:6388";
        CountDownLatch done = new CountDownLatch(JOBS);
        try (Holdfast holdfast = Holdfast.connect(server)) {
            Thread one = worker(holdfast, done);
            Thread two = worker(holdfast, done);
            ItemList jobs = holdfast.list("example.jobs");
            for (int i = 1; i <= JOBS; i++) {
                jobs.pushLast("job " + i);
                holdfast.signals().send("example.jobs.new", "job");
            }
            done.await();
            one.interrupt();
            two.interrupt();
            one.join();
            two.join();
            System.out.println(JOBS + " jobs done, " + jobs.size() + " left");
        }
    }

    private static Thread worker(Holdfast holdfast, CountDownLatch done) {
        ItemList jobs = holdfast.list("example.jobs");
        Semaphore news = new Semaphore(1); // check the list once in any case
        Thread thread =
                new Thread(
                        () -> {
                            try (Signals.Subscription unused =
                                    holdfast.signals()
                                            .listen(
                                                    "example.jobs.*",
                                                    "workers",
                                                    signal -> news.release())) {
                                while (true) {
                                    news.acquire();
                                    Optional<String> job = jobs.popFirst();
                                    while (job.isPresent()) {
                                        done.countDown(); // this is where the work is done
                                        job = jobs.popFirst();
                                    }
                                }
                            } catch (InterruptedException e) {
                                // the worker is to end
                            }
                        });
        thread.start();
        return thread;
    }
}
