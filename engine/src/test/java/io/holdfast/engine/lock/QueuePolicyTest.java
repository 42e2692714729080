package io.holdfast.engine.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.Effect;
import io.holdfast.engine.QueuePolicy;
import io.holdfast.engine.lock.LockScenario.Request;
import io.holdfast.engine.lock.LockScenario.Target;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The examples of the protocol's description. A step is a session and its action: {@code r}
 * requests to read, {@code w} to write, {@code a} acquires as another protocol does, {@code +}
 * confirms, {@code -} releases, {@code x} declines. {@code =b} after it means that b has just got
 * an offer, and {@code =} that no session has.
 */
@DisplayName("The queue policy")
class QueuePolicyTest {
    private static final Target DOOR = Target.lock("door");

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource({
        "FIFO, aw=a a+= br= cr= dw= er= a-=b b+=c c+= b-= c-=d d+= d-=e",
        "FIFO, ar=a a+= bw= cr= a-=b b+= b-=c",
        "WRITER_PREFERRED, aw=a a+= br= cw= a-=c c+= c-=b",
        "WRITER_PREFERRED, ar=a a+= br=b",
        "WRITER_PREFERRED, ar=a a+= bw= cr= bx=c",
        "READER_PREFERRED, aw=a a+= bw= cr= a-=c c+= c-=b",
        "READER_PREFERRED, ar=a a+= bw= cr=c c+= a-= c-=b",
        "FIFO, aw=a br= ax=b",
        "READER_PREFERRED, aw=a br= ax=b",
        "WRITER_PREFERRED, aw=a br= ax=b",
        "READER_PREFERRED, aw=a a+= bw= cr= dw= er= a-=c c+=e e+= c-= e-=b b+= b-=d",
        "WRITER_PREFERRED, aw=a a+= br= cw= dr= ew= a-=c cx=e e+= e-=b b+=d",
        // An acquire is a writer without an offer.
        "FIFO, ar=a a+= ba= cr= a-= b-=c",
        "READER_PREFERRED, ar=a a+= ba= cr=c c+= a-= c-= b-=",
        "WRITER_PREFERRED, aw=a a+= br= ca= a-= c-=b",
        "WRITER_PREFERRED, ar=a a+= br=b cw= da= b+= a-= b-=c c+= er= c-= d-=e",
    })
    void the_next_waiter_follows_the_queue_policy(QueuePolicy queuePolicy, String events) {
        LockScenario locks = LockScenario.withPolicy(DOOR, queuePolicy);
        Map<String, Request> requests = new LinkedHashMap<>();
        for (String event : events.split(" ", -1)) {
            String who = event.substring(0, 1);
            switch (event.charAt(1)) {
                case 'r' -> requests.put(who, locks.read(who, DOOR));
                case 'w' -> requests.put(who, locks.write(who, DOOR));
                case 'a' -> requests.put(who, locks.acquire(who, DOOR));
                case '+' -> locks.confirm(requests.get(who));
                case 'x' -> locks.decline(requests.get(who));
                case '-' -> {
                    Request request = requests.get(who);
                    if (request.effects().getLast() instanceof Effect.Granted) {
                        locks.release(request);
                    } else {
                        locks.giveUp(request);
                    }
                }
                default -> throw new AssertionError(event);
            }
            assertThat(offered(locks, requests)).as("at %s", event).isEqualTo(event.substring(3));
        }
    }

    private static String offered(LockScenario locks, Map<String, Request> requests) {
        List<String> names = new ArrayList<>();
        for (Effect effect : locks.lastEffects()) {
            if (effect instanceof Effect.Offered) {
                requests.forEach(
                        (who, request) -> {
                            if (request.number() == effect.request()) {
                                names.add(who);
                            }
                        });
            }
        }
        return String.join(",", names);
    }
}
