package io.holdfast.driver;

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
 * Slows down those who guess secrets. Some wrong secrets of an address cost nothing. After them
 * every secret from there is compared after a delay, the right one too: else whoever gets no answer
 * at once would know that his guess was wrong. Since few secrets of an address are delayed at the
 * same time, it can try few in a second. A client has a /64 of IPv6 addresses at least, so they
 * count as one. Thread-safe.
 */
public final class AuthFailures {
    /** How long a secret from an address with too many failures has to wait. */
    public static final long DELAY_MILLIS = 1_000;

    /** So many failures are free, and one more for each interval without any. */
    static final int FREE = 20;

    static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(6);

    /** How many secrets of one address, and of all, are delayed at the same time. */
    static final int MOST_DELAYED_PER_ADDRESS = 32;

    static final int MOST_DELAYED = 1_000;

    /** A /64. */
    private static final int NETWORK_BYTES = 8;

    /** How many addresses are remembered; beyond that those are forgotten that failed long ago. */
    static final int MOST_ADDRESSES = 10_000;

    private static final class Failures {
        /** When all failures so far will be forgotten. */
        long untilNanos;

        int delayed;
    }

    private final LongSupplier clock;

    /** Those that were used last come last. */
    private final LinkedHashMap<String, Failures> addresses = new LinkedHashMap<>(16, 0.75f, true);

    private int delayed;

    public AuthFailures() {
        this(System::nanoTime);
    }

    AuthFailures(LongSupplier clock) {
        this.clock = clock;
    }

    /** What counts as one: the network of an IPv6 address, any other address itself. */
    private static String source(String address) {
        if (address.indexOf(':') < 0) {
            return address;
        }
        try {
            return InetAddress.ofLiteral(address) instanceof Inet6Address ip
                    ? HexFormat.of().formatHex(Arrays.copyOf(ip.getAddress(), NETWORK_BYTES))
                    : address;
        } catch (IllegalArgumentException _) {
            return address; // of an interface that is gone
        }
    }

    /** Counts a wrong secret. */
    public void failed(String address) {
        count(source(address));
    }

    private synchronized void count(String source) {
        long now = clock.getAsLong();
        Failures known = addresses.get(source);
        if (known == null) {
            forget(now);
            known = new Failures();
            known.untilNanos = now;
            addresses.put(source, known);
        }
        long since = Math.max(0, known.untilNanos - now);
        known.untilNanos = now + Math.min(since, FREE * INTERVAL_NANOS) + INTERVAL_NANOS;
    }

    /** Whether secrets from an address are delayed. */
    public synchronized boolean isSlowed(String address) {
        Failures known = addresses.get(source(address));
        return known != null && known.untilNanos - clock.getAsLong() > (FREE - 1) * INTERVAL_NANOS;
    }

    /**
     * Begins the delay of a secret. False if too many are delayed: then it is not to be compared.
     */
    public synchronized boolean beginDelay(String address) {
        Failures known = addresses.get(source(address));
        if (delayed >= MOST_DELAYED
                || (known != null && known.delayed >= MOST_DELAYED_PER_ADDRESS)) {
            return false;
        }
        delayed++;
        if (known != null) {
            known.delayed++;
        }
        return true;
    }

    /** Ends a delay that was begun. */
    public synchronized void endDelay(String address) {
        delayed--;
        Failures known = addresses.get(source(address));
        if (known != null && known.delayed > 0) {
            known.delayed--;
        }
    }

    private void forget(long now) {
        Iterator<Map.Entry<String, Failures>> oldest = addresses.entrySet().iterator();
        while (oldest.hasNext()) {
            Failures known = oldest.next().getValue();
            boolean over = known.untilNanos - now <= 0 && known.delayed == 0;
            if (!over && addresses.size() < MOST_ADDRESSES) {
                return;
            }
            oldest.remove();
        }
    }

    /** How many addresses are remembered. */
    synchronized int size() {
        return addresses.size();
    }
}
