package io.holdfast.driver.signal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.view.ScanCursor;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

@DisplayName("The hub under many threads")
class SignalHubStressTest {
    private static final Duration SPAN = Duration.ofMillis(1_200);
    private static final List<String> CHANNELS = List.of("a", "b", "a.b", "b.b", "a.a.b", "a..b");
    private static final List<String> PATTERNS =
            List.of("a", "a.b", "a..b", "*", "a.*", "*.b", ">", "a.>", "a.*.b", "*.*.*");
    private static final List<String> GROUPS = List.of("", "g", "h");

    private final SignalScenario signals = new SignalScenario();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        threads.shutdownNow();
    }

    @Test
    void the_hub_chooses_all_permanent_listeners_and_no_others() throws Exception {
        AtomicLong stamps = new AtomicLong();
        List<Registrant> registrants = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            registrants.add(new Registrant(stamps));
        }
        long end = System.nanoTime() + SPAN.toNanos();
        List<Callable<Void>> jobs = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            List<Registrant> own = registrants.subList(i * 3, i * 3 + 3);
            Random random = new Random(i);
            jobs.add(
                    () -> {
                        while (System.nanoTime() < end) {
                            own.get(random.nextInt(own.size())).move(random);
                        }
                        return null;
                    });
        }
        List<ReceiverCheck> looks =
                CHANNELS.stream()
                        .map(channel -> new ReceiverCheck(channel, registrants, stamps))
                        .toList();
        for (int i = 0; i < 2; i++) {
            Random random = new Random(100 + i);
            jobs.add(
                    () -> {
                        while (System.nanoTime() < end) {
                            looks.get(random.nextInt(looks.size())).check();
                        }
                        return null;
                    });
        }
        run(jobs);

        assertThat(listed()).as("nothing is lost").isEqualTo(registered(registrants));
        registrants.forEach(Registrant::close);
        signals.assertEmpty();
    }

    @Test
    void the_hub_keeps_the_order_of_the_signals_of_one_emitter_and_loses_none() throws Exception {
        int emitters = 3;
        CountingListener alone = new CountingListener(emitters);
        CountingListener inGroup = new CountingListener(emitters);
        signals.hub.open(alone).listen(Key.of("a.>"), ByteString.EMPTY);
        signals.hub.open(inGroup).listen(Key.of("a.b"), ByteString.of("workers"));
        AtomicBoolean done = new AtomicBoolean();
        int count = 20_000;
        List<Callable<Void>> jobs = new ArrayList<>();
        AtomicLong left = new AtomicLong(emitters);
        for (int i = 0; i < emitters; i++) {
            int emitter = i;
            jobs.add(
                    () -> {
                        try {
                            for (int number = 1; number <= count; number++) {
                                SentSignal sentSignal = new SentSignal(emitter, number);
                                signals.hub
                                        .choose(sentSignal.channel())
                                        .listeners()
                                        .forEach(
                                                signalListener ->
                                                        signalListener.deliver(sentSignal));
                            }
                        } finally {
                            done.set(left.decrementAndGet() == 0);
                        }
                        return null;
                    });
        }
        jobs.add(
                () -> {
                    while (!done.get()) { // listens and unlistens before, after and beside them
                        CountingListener countingListener = new CountingListener(emitters);
                        Subscriber passing = signals.hub.open(countingListener);
                        passing.listen(Key.of("a.b"), ByteString.EMPTY);
                        passing.listen(Key.of("a.*"), ByteString.EMPTY);
                        passing.listen(Key.of("a.b"), ByteString.of("others"));
                        passing.close();
                    }
                    return null;
                });
        run(jobs);
        assertThat(alone.last).containsOnly(count);
        assertThat(inGroup.last).containsOnly(count);
        assertThat(alone.received + inGroup.received).isEqualTo(2L * emitters * count);
    }

    @Test
    void the_hub_balances_a_group_with_concurrent_emitters() throws Exception {
        int members = 997; // so many that two errors do not cancel out
        List<CountingListener> countingListeners = new ArrayList<>();
        for (int i = 0; i < members; i++) {
            CountingListener countingListener = new CountingListener(1);
            countingListeners.add(countingListener);
            signals.hub.open(countingListener).listen(Key.of("a.b"), ByteString.of("workers"));
            signals.hub.open(countingListener).listen(Key.of("c.*"), ByteString.of("workers"));
        }
        List<Key> channels = List.of(Key.of("a.b"), Key.of("c.d"));
        long end = System.nanoTime() + SPAN.toNanos();
        List<Callable<Void>> jobs = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            jobs.add(
                    () -> {
                        while (System.nanoTime() < end) {
                            for (int n = 0; n < 100; n++) {
                                for (int to = 0; to < channels.size(); to++) {
                                    listen(channels.get(to), to);
                                }
                            }
                        }
                        return null;
                    });
        }
        run(jobs);
        for (int to = 0; to < channels.size(); to++) {
            int channel = to;
            long[] shares =
                    countingListeners.stream()
                            .mapToLong(countingListener -> countingListener.counts.get(channel))
                            .sorted()
                            .toArray();
            assertThat(shares[members - 1] - shares[0])
                    .as("shares of %s: %s", channels.get(to), Arrays.toString(shares))
                    .isLessThanOrEqualTo(1);
        }
    }

    private void listen(Key channel, int number) {
        for (SignalListener signalListener : signals.hub.choose(channel).listeners()) {
            ((CountingListener) signalListener).counts.incrementAndGet(number);
        }
    }

    @Test
    void the_hub_lists_each_topic_that_exists_throughout_once() throws Exception {
        TestListener keeper = signals.person("keeper");
        Set<Key> steady = new HashSet<>();
        for (int i = 0; i < 900; i++) {
            Key pattern = Key.of("s" + i + (i % 2 == 0 ? ".*" : ""));
            keeper.listen(pattern, "");
            steady.add(pattern);
        }
        AtomicBoolean done = new AtomicBoolean();
        List<Callable<Void>> jobs = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            int member = i;
            jobs.add(
                    () -> {
                        while (!done.get()) {
                            TestListener testListener = signals.person("passing");
                            for (int n = 0; n < 300; n++) {
                                testListener.listen("s" + (n * 7 + member) + ".x");
                                testListener.listen("s" + n);
                            }
                            testListener.close();
                        }
                        return null;
                    });
        }
        jobs.add(
                () -> {
                    try {
                        for (int n = 0; n < 60; n++) {
                            checkListing(steady);
                        }
                    } finally {
                        done.set(true);
                    }
                    return null;
                });
        run(jobs);
        keeper.close();
        signals.assertEmpty();
    }

    @Test
    void a_subscriber_that_closes_while_it_listens_leaves_nothing_behind() throws Exception {
        for (int round = 0; round < 300; round++) {
            TestListener testListener = signals.person("person");
            List<Callable<Void>> jobs = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                int member = i;
                jobs.add(
                        () -> {
                            for (int n = member; n < 40; n += 2) {
                                testListener.listen(
                                        n % 3 == 0 ? "a" + n : n + ".*", n % 5 == 0 ? "g" : "");
                            }
                            return null;
                        });
            }
            jobs.add(
                    () -> {
                        testListener.close();
                        return null;
                    });
            run(jobs);
            assertThat(testListener.listen("a")).isEqualTo(ListenOutcome.CLOSED);
            signals.assertEmpty();
        }
    }

    private void checkListing(Set<Key> steady) {
        Set<PatternAndGroup> seen = new HashSet<>();
        ScanCursor<ChannelView> listing = signals.hub.list();
        for (ChannelView view : SignalScenario.views(listing)) {
            if (!seen.add(new PatternAndGroup(view.pattern(), view.group()))) {
                throw new AssertionError("twice: " + view);
            }
        }
        for (Key pattern : steady) {
            if (!seen.contains(new PatternAndGroup(pattern, ByteString.EMPTY))) {
                throw new AssertionError("not listed: " + pattern);
            }
        }
    }

    private Map<PatternAndGroup, Integer> listed() {
        Map<PatternAndGroup, Integer> listed = new HashMap<>();
        for (ChannelView view : signals.views()) {
            listed.put(new PatternAndGroup(view.pattern(), view.group()), view.listeners());
        }
        return listed;
    }

    private static Map<PatternAndGroup, Integer> registered(List<Registrant> registrants) {
        Map<PatternAndGroup, Integer> registered = new HashMap<>();
        for (Registrant registrant : registrants) {
            for (Registration registration : registrant.registrations) {
                if (registration.surelySince != Registration.NEVER) {
                    registered.merge(registration.topic, 1, Integer::sum);
                }
            }
        }
        return registered;
    }

    /** Runs jobs that start together; an exception of any of them fails the test. */
    private void run(List<Callable<Void>> jobs) throws Exception {
        CyclicBarrier start = new CyclicBarrier(jobs.size());
        List<Future<Void>> running = new ArrayList<>();
        for (Callable<Void> job : jobs) {
            running.add(
                    threads.submit(
                            () -> {
                                start.await();
                                return job.call();
                            }));
        }
        for (Future<Void> future : running) {
            try {
                future.get(120, TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                throw new AssertionError("a thread failed", e.getCause());
            } catch (TimeoutException e) {
                throw new AssertionError("a thread hangs", e);
            }
        }
    }

    /** A registration as known to its only user. Stamps order the operations. */
    private static final class Registration {
        static final long NEVER = Long.MAX_VALUE;

        final SignalListener registrant;
        final PatternAndGroup topic;

        /** Set before the listen call, and unset after the unlisten call. */
        volatile boolean perhaps;

        /** Set after the listen call, and unset before the unlisten call. */
        volatile long surelySince = NEVER;

        /** The stamp of its last end. */
        volatile long ended;

        Registration(SignalListener registrant, PatternAndGroup patternAndGroup) {
            this.registrant = registrant;
            this.topic = patternAndGroup;
        }

        boolean perhapsSince(long stamp) {
            return perhaps || ended > stamp; // in this order: it is unset after ended is set
        }
    }

    /** A thread that begins and ends registrations of all kinds. */
    private final class Registrant extends CountingListener {
        final List<Registration> registrations = new ArrayList<>();
        private final AtomicLong stamps;
        private Subscriber subscriber;

        Registrant(AtomicLong stamps) {
            super(0);
            this.stamps = stamps;
            this.subscriber = signals.hub.open(this);
            for (String pattern : PATTERNS) {
                for (String group : GROUPS) {
                    registrations.add(
                            new Registration(
                                    this,
                                    new PatternAndGroup(Key.of(pattern), ByteString.of(group))));
                }
            }
        }

        void move(Random random) {
            Registration registration = registrations.get(random.nextInt(registrations.size()));
            int dice = random.nextInt(100);
            if (dice == 0) {
                close();
                assertThat(
                                subscriber.listen(
                                        registration.topic.pattern(), registration.topic.group()))
                        .isEqualTo(ListenOutcome.CLOSED);
                subscriber = signals.hub.open(this);
            } else if (registration.surelySince == Registration.NEVER && dice < 50) {
                registration.perhaps = true;
                assertThat(
                                subscriber.listen(
                                        registration.topic.pattern(), registration.topic.group()))
                        .isEqualTo(ListenOutcome.LISTENING);
                registration.surelySince = stamps.incrementAndGet();
            } else {
                registration.surelySince = Registration.NEVER;
                subscriber.unlisten(registration.topic.pattern(), registration.topic.group());
                leave(registration);
            }
        }

        void close() {
            registrations.forEach(registration -> registration.surelySince = Registration.NEVER);
            subscriber.close();
            registrations.forEach(this::leave);
        }

        private void leave(Registration registration) {
            if (registration.perhaps) {
                registration.ended = stamps.incrementAndGet();
                registration.perhaps = false;
            }
        }
    }

    /** Signals on one channel, compared with the registrations before and after. */
    private final class ReceiverCheck {
        private final String channel;
        private final Key key;
        private final AtomicLong stamps;
        private final List<Registration> matching = new ArrayList<>();

        ReceiverCheck(String channel, List<Registrant> registrants, AtomicLong stamps) {
            this.channel = channel;
            this.key = Key.of(channel);
            this.stamps = stamps;
            List<String> tokens = List.of(channel.split("\\.", -1));
            for (Registrant registrant : registrants) {
                for (Registration registration : registrant.registrations) {
                    String pattern = registration.topic.pattern().toString();
                    if (HubModel.matches(List.of(pattern.split("\\.", -1)), tokens)) {
                        matching.add(registration);
                    }
                }
            }
        }

        void check() {
            long begin = stamps.get();
            long[] before = new long[matching.size()];
            for (int i = 0; i < before.length; i++) {
                before[i] = matching.get(i).surelySince;
            }
            List<SignalListener> chosen = signals.hub.choose(key).listeners();
            Set<SignalListener> receivers = Collections.newSetFromMap(new IdentityHashMap<>());
            receivers.addAll(chosen);
            require(receivers.size() == chosen.size(), "chosen twice");

            Set<SignalListener> possible = Collections.newSetFromMap(new IdentityHashMap<>());
            Set<PatternAndGroup> steadyGroups = new HashSet<>();
            Set<PatternAndGroup> servedGroups = new HashSet<>();
            for (int i = 0; i < before.length; i++) {
                Registration registration = matching.get(i);
                boolean steady =
                        before[i] != Registration.NEVER && before[i] == registration.surelySince;
                boolean served = receivers.contains(registration.registrant);
                boolean alone = registration.topic.group().isEmpty();
                require(!alone || !steady || served, "left out of " + registration.topic);
                if (!alone && steady) {
                    steadyGroups.add(registration.topic);
                }
                if (registration.perhapsSince(begin)) {
                    possible.add(registration.registrant);
                    if (served) {
                        servedGroups.add(registration.topic);
                    }
                }
            }
            require(possible.containsAll(receivers), "chosen without listening");
            require(servedGroups.containsAll(steadyGroups), "no member of a group");
        }

        private void require(boolean condition, String otherwise) {
            if (!condition) {
                throw new AssertionError(otherwise + " on " + channel);
            }
        }
    }

    /** A numbered signal. */
    private record SentSignal(int emitter, int number) implements Signal {
        @Override
        public Key channel() {
            return Key.of("a.b");
        }

        @Override
        public ByteString payload() {
            return ByteString.EMPTY;
        }

        @Override
        public void release() {}
    }

    /** Receives all signals and checks their order. */
    private static class CountingListener implements SignalListener {
        final int[] last;
        final AtomicLongArray counts = new AtomicLongArray(2);
        long received;

        CountingListener(int emitters) {
            last = new int[emitters];
        }

        @Override
        public boolean isFull() {
            return false;
        }

        @Override
        public synchronized void deliver(Signal signal) {
            SentSignal sentSignal = (SentSignal) signal;
            if (sentSignal.number() <= last[sentSignal.emitter()]) {
                throw new AssertionError(sentSignal + " after " + Arrays.toString(last));
            }
            last[sentSignal.emitter()] = sentSignal.number();
            received++;
        }

        @Override
        public void overrun() {
            throw new AssertionError("no listener is full here");
        }
    }
}
