import io.holdfast.client.Hold;
import io.holdfast.client.Holdfast;
import io.holdfast.client.HoldfastReadWriteLock;

import java.time.Duration;
import java.util.Optional;

/** Many clients may read a page at once; a writer has exclusive access. */
class Readers {
    public static void main(String[] args) throws Exception {
        String server = args.length > 0 ? args[0] : "127.0.0.1:6388";
        Duration timeout = Duration.ofSeconds(30);
        try (Holdfast holdfast = Holdfast.connect(server)) {
            HoldfastReadWriteLock page = holdfast.readWriteLock("example.page");
            try (Hold one = page.read().acquire(timeout);
                    Hold two = page.read().acquire(timeout)) {
                System.out.println("readers: " + (one.isHeld() && two.isHeld() ? 2 : 0));
                Optional<Hold> writer = page.write().tryAcquire();
                System.out.println("a writer meanwhile: " + writer.isPresent());
            }
            try (Hold writer = page.write().acquire(timeout)) {
                System.out.println("a writer afterwards: " + writer.isHeld());
                System.out.println("a reader meanwhile: " + page.read().tryAcquire().isPresent());
            }
        }
    }
}
