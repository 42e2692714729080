package io.holdfast.server.lockd;

import io.holdfast.driver.Driver;
import io.holdfast.driver.LogThrottle;
import io.holdfast.driver.view.ScanCursor;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.view.HeldCounts;
import io.holdfast.engine.view.HolderView;
import io.holdfast.protocol.lockd.LockdEncoder;
import io.holdfast.server.connection.Connection;
import io.holdfast.server.connection.StreamedResponse;
import io.netty.buffer.ByteBuf;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Streams the response to {@code d}, {@code sd}, {@code dump} or {@code who}. The holds are copied
 * slice by slice, sorted, and written.
 */
final class ListingStream extends StreamedResponse implements ListingBudget.Listing {
    private static final Logger LOG = LoggerFactory.getLogger(ListingStream.class);
    private static final LogThrottle ABORTED = new LogThrottle();

    /** The form of the response. */
    enum Form {
        /** {@code KEY: HOLDER} for each holder, in order of acquisition. */
        LINES,
        /** {@code map[KEY:CONNECTION]}, in order of keys. */
        MAP,
        /** {@code CONNECTION: NAME} for each connection that has registered. */
        WHO
    }

    /** Upper estimate of the memory of a key and its entry in the listing. */
    private static final long KEY_BYTES = 128;

    /** Upper estimate of the memory of a holder, or of a registered connection. */
    private static final long HOLD_BYTES = 64;

    /** Shown for a hold whose connection is closed. */
    private static final String GONE = "disconnected";

    /** A key with holders, and the names of these. */
    private record Held(Key key, long since, List<byte[]> holders) {}

    private final Connection<?> connection;
    private final LockdFraming framing;
    private final LockdService service;
    private final Form form;
    private final ResourceKind resourceKind;
    private final ByteString only;

    /** Names of sessions, looked up once so that the listing is consistent. */
    private final Map<Long, byte[]> names = new HashMap<>();

    /**
     * @param only list this key or name alone; everything if it is empty
     */
    ListingStream(
            Connection<?> connection,
            LockdFraming framing,
            LockdService service,
            Form form,
            ResourceKind resourceKind,
            ByteString only) {
        super(connection);
        this.connection = connection;
        this.framing = framing;
        this.service = service;
        this.form = form;
        this.resourceKind = resourceKind;
        this.only = only;
    }

    @Override
    protected boolean writeAll() {
        try {
            if (form == Form.WHO) {
                return writeRegistry();
            }
            List<Held> all = only.isEmpty() ? copyAll() : copyOne();
            if (all == null) {
                return false;
            }
            return form == Form.MAP ? writeMap(all) : writeLines(all);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    protected void ended() {
        service.listings.release(this);
    }

    private boolean reserve(long keys, long holds) throws InterruptedException {
        return service.listings.reserve(this, keys * KEY_BYTES + holds * HOLD_BYTES);
    }

    @Override
    public boolean isConnected() {
        return connection.context().channel().isActive();
    }

    @Override
    public void abort() {
        ABORTED.next(LOG.atWarn())
                .addKeyValue("remote", connection.context().channel().remoteAddress())
                .log("listing aborted: the memory budget of listings is used up");
        connection.context().close();
    }

    // ---- copying

    /** Null if the client is gone or the listing was aborted. */
    private @Nullable List<Held> copyAll() throws InterruptedException {
        Driver driver = service.driver();
        HeldCounts count = driver.queries().countHeld(service.namespace, resourceKind);
        if (!reserve(count.keys(), count.holds())) {
            return null;
        }
        List<Held> all = new ArrayList<>();
        try (ScanCursor<HolderView> scanCursor =
                driver.queries().listHolders(service.namespace, resourceKind)) {
            for (List<HolderView> slice = scanCursor.next();
                    !slice.isEmpty();
                    slice = scanCursor.next()) {
                for (HolderView view : slice) {
                    add(view, all);
                }
            }
        }
        all.sort(
                form == Form.MAP
                        ? Comparator.comparing(Held::key)
                        : Comparator.comparingLong(Held::since));
        return all;
    }

    private @Nullable List<Held> copyOne() throws InterruptedException {
        List<Held> one = new ArrayList<>(1);
        HolderView view = holders(Key.of(service.namespace, only.bytes()));
        if (view != null) {
            if (!reserve(1, view.sessions().size())) {
                return null;
            }
            add(view, one);
        }
        return one;
    }

    private @Nullable HolderView holders(Key key) {
        return service.driver().queries().holders(resourceKind, key);
    }

    private void add(HolderView first, List<Held> all) {
        HolderView view = first;
        List<byte[]> holders = namesOf(first.sessions());
        while (resourceKind == ResourceKind.LOCK && holders.isEmpty()) {
            // The session has ended since: reads the holders again, as a hold may outlive its
            // session.
            HolderView current = holders(first.key());
            if (current == null) {
                return;
            }
            boolean same = current.sessions().equals(view.sessions());
            view = current;
            holders = same ? List.of(bytes(GONE)) : namesOf(current.sessions());
        }
        if (!holders.isEmpty()) {
            all.add(new Held(view.key(), view.since(), holders));
        }
    }

    /** The names of the sessions that are open. */
    private List<byte[]> namesOf(List<Long> sessions) {
        if (sessions.size() == 1) {
            byte[] name = nameOf(sessions.getFirst());
            return name == null ? List.of() : List.of(name);
        }
        List<byte[]> found = new ArrayList<>(sessions.size());
        for (long session : sessions) {
            byte[] name = nameOf(session);
            if (name != null) {
                found.add(name);
            }
        }
        return found;
    }

    private byte @Nullable [] nameOf(long session) {
        byte[] name = names.get(session);
        if (name == null) {
            name = lookUp(session);
            if (name != null) {
                names.put(session, name);
            }
        }
        return name;
    }

    /** The registered name if the form shows it, else the name of the connection. */
    private byte @Nullable [] lookUp(long session) {
        ByteString registered = form == Form.LINES ? service.registry.nameOf(session) : null;
        if (registered != null) {
            return registered.bytes();
        }
        String connectionName = service.driver().nameOf(session);
        return connectionName == null ? null : bytes(connectionName);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    // ---- writing

    private boolean writeLines(List<Held> all) {
        long length = 0;
        for (Held held : all) {
            for (byte[] holder : held.holders()) {
                length += LockdEncoder.pairLength(held.key().bytes(), holder);
            }
        }
        framing.beginLong(length, out());
        for (Held held : all) {
            for (byte[] holder : held.holders()) {
                LockdEncoder.pair(held.key().bytes(), holder, out());
                if (!sendIfLong()) {
                    return false;
                }
            }
        }
        return true;
    }

    private boolean writeMap(List<Held> all) {
        boolean lists = resourceKind == ResourceKind.SHARED;
        long length = LockdEncoder.mapLength(all.size());
        for (Held held : all) {
            length += LockdEncoder.mapEntryLength(held.key().bytes(), held.holders(), lists);
        }
        framing.beginLong(length, out());
        LockdEncoder.beginMap(out());
        boolean first = true;
        for (Held held : all) {
            LockdEncoder.mapName(held.key().bytes(), first, out());
            first = false;
            if (!writeHolders(held.holders(), lists)) {
                return false;
            }
        }
        LockdEncoder.endMap(out());
        return true;
    }

    private boolean writeHolders(List<byte[]> holders, boolean list) {
        int last = holders.size() - 1;
        for (int i = 0; i <= last; i++) {
            LockdEncoder.mapHolder(holders.get(i), list, i == 0, i == last, out());
            if (!sendIfLong()) {
                return false;
            }
        }
        return true;
    }

    private boolean writeRegistry() throws InterruptedException {
        if (!reserve(0, service.registry.size())) {
            return false;
        }
        List<ConnectionNameRegistry.Entry> entries = service.registry.list(only);
        long length = 0;
        for (ConnectionNameRegistry.Entry entry : entries) {
            length += LockdEncoder.pairLength(bytes(entry.connection()), entry.name().bytes());
        }
        framing.beginLong(length, out());
        for (ConnectionNameRegistry.Entry entry : entries) {
            ByteBuf out = out();
            LockdEncoder.pair(bytes(entry.connection()), entry.name().bytes(), out);
            if (!sendIfLong()) {
                return false;
            }
        }
        return true;
    }
}
