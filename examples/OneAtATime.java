import io.holdfast.client.Hold;
import io.holdfast.client.Holdfast;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Ten threads, in place of ten machines, add to a number that only one may change at a time. */
class OneAtATime {
    /** What the lock protects. It stores the largest fence so far, and rejects smaller ones. */
    private static final class Account {
        private int balance;
        private long fence;

        void add(int amount, long holderFence) {
            if (holderFence < fence) {
                throw new IllegalStateException("a stale fence: the lock has a newer holder");
            }
            fence = holderFence;
            balance = balance + amount;
        }
    }

    public static void main(String[] args) throws Exception {
        String server = args.length > 0 ? args[0] : "127.0.0.1:6388";
        Account account = new Account();
        try (Holdfast holdfast = Holdfast.connect(server)) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                threads.add(new Thread(() -> deposit(holdfast, account)));
            }
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
        }
        System.out.println("balance " + account.balance);
    }

    private static void deposit(Holdfast holdfast, Account account) {
        try {
            for (int i = 0; i < 10; i++) {
                try (Hold hold = holdfast.lock("account").acquire(Duration.ofSeconds(30))) {
                    account.add(1, hold.fence().orElse(0));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
