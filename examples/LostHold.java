import io.holdfast.client.testing.FakeHoldfast;
import io.holdfast.client.Hold;
import io.holdfast.client.Holdfast;
import io.holdfast.client.LeaseLostException;

import java.time.Duration;

/**
 * What a program sees when it loses a lock. It needs no server: the fake has a clock that the program advances.
 */
class LostHold {
    public static void main(String[] args) throws Exception {
        FakeHoldfast fake = new FakeHoldfast();
        try (Holdfast alice = fake.client("alice");
                Holdfast bob = fake.client("bob")) {
            Hold hold =
                    alice.lock("k")
                            .lease(Duration.ofSeconds(10))
                            .renew(false) // by default the lease is renewed until the hold is closed
                            .onLost(reason -> System.out.println("alice lost it: " + reason))
                            .acquire(Duration.ofSeconds(1));
            fake.advance(Duration.ofSeconds(9));
            System.out.println("after 9 s: " + hold.isHeld());
            fake.advance(Duration.ofSeconds(1));
            System.out.println("after 10 s: " + hold.isHeld());
            try {
                hold.ensureHeld();
            } catch (LeaseLostException e) {
                System.out.println("stop working: " + e.reason());
            }
            System.out.println("bob gets it: " + bob.lock("k").tryAcquire().isPresent());
        }
    }
}
