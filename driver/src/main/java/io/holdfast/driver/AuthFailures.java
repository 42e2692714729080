package io.holdfast.driver;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Rate-limits attempts to guess a secret. The first failures of an address have no consequence.
 * After them every secret from that address is compared after a delay, the correct one too:
 * otherwise the missing immediate response would reveal a wrong guess. The number of delayed
 * comparisons per address is limited, and so is the number of guesses per second. A client usually
 * controls at least a /64 of IPv6 addresses, so a /64 counts as one address. Thread-safe.
 */
public final class AuthFailures {
    /** Delay of the comparison for an address with too many failures. */
    public static final long DELAY_MILLIS = 1_000;

    /** Number of failures without consequence; each interval removes one failure from the count. */
    static final int FREE = 20;

    static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(6);

    /** Maximum number of concurrently delayed secrets, of one address and in total. */
    static final int MAX_DELAYED_PER_ADDRESS = 32;

    static final int MAX_DELAYED = 1_000;

    /** Length of a /64 network prefix. */
    private static final int NETWORK_BYTES = 8;

    /** Maximum number of tracked addresses; beyond it, the least recently used are dropped. */
    static final int MAX_ADDRESSES = 10_000;

    private static final class Failures {
        /** When all failures so far will have been removed from the count. */
        long untilNanos;

        int delayed;
    }

    private final LongSupplier clock;

    /** In access order, the least recently used first. */
    @GuardedBy("this")
    private final LinkedHashMap<String, Failures> addresses = new LinkedHashMap<>(16, 0.75f, true);

    @GuardedBy("this")
    private int delayed;

    public AuthFailures() {
        this(System::nanoTime);
    }

    AuthFailures(LongSupplier clock) {
        this.clock = clock;
    }

    /**
     * The unit that failures are counted for: the /64 of an IPv6 address, or the address itself.
     */
    private static String source(String address) {
        if (address.indexOf(':') < 0) {
            return address;
        }
        try {
            return InetAddress.ofLiteral(address) instanceof Inet6Address ip
                    ? HexFormat.of().formatHex(Arrays.copyOf(ip.getAddress(), NETWORK_BYTES))
                    : address;
        } catch (IllegalArgumentException _) {
            return address; // with the scope of an interface that does not exist any more
        }
    }

    /** Counts a wrong secret. */
    public void failed(String address) {
        count(source(address));
    }

    private synchronized void count(String source) {
        long now = clock.getAsLong();
        Failures failures = addresses.get(source);
        if (failures == null) {
            dropOldest(now);
            failures = new Failures();
            failures.untilNanos = now;
            addresses.put(source, failures);
        }
        long since = Math.max(0, failures.untilNanos - now);
        failures.untilNanos = now + Math.min(since, FREE * INTERVAL_NANOS) + INTERVAL_NANOS;
    }

    /** Whether secrets from an address are delayed. */
    public synchronized boolean isSlowed(String address) {
        Failures failures = addresses.get(source(address));
        return failures != null
                && failures.untilNanos - clock.getAsLong() > (FREE - 1) * INTERVAL_NANOS;
    }

    /**
     * Begins the delay of a secret. False if too many are delayed; then the secret must be rejected
     * without a comparison.
     */
    public synchronized boolean beginDelay(String address) {
        Failures failures = addresses.get(source(address));
        if (delayed >= MAX_DELAYED
                || (failures != null && failures.delayed >= MAX_DELAYED_PER_ADDRESS)) {
            return false;
        }
        delayed++;
        if (failures != null) {
            failures.delayed++;
        }
        return true;
    }

    /** Ends a delay for which {@link #beginDelay} returned true. */
    public synchronized void endDelay(String address) {
        delayed--;
        Failures failures = addresses.get(source(address));
        if (failures != null && failures.delayed > 0) {
            failures.delayed--;
        }
    }

    @GuardedBy("this")
    private void dropOldest(long now) {
        Iterator<Map.Entry<String, Failures>> oldest = addresses.entrySet().iterator();
        while (oldest.hasNext()) {
            Failures failures = oldest.next().getValue();
            boolean over = failures.untilNanos - now <= 0 && failures.delayed == 0;
            if (!over && addresses.size() < MAX_ADDRESSES) {
                return;
            }
            oldest.remove();
        }
    }

    /** The number of tracked addresses. */
    synchronized int size() {
        return addresses.size();
    }
}
