package io.holdfast.driver.view;

import io.holdfast.engine.lock.EngineViews;
import io.holdfast.engine.view.KeyScan;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Scans one engine after the other, each in slices under its lock. */
final class MultiEngineScan<T> implements ScanCursor<T> {
    private static final int SLICE = 512;

    private final List<? extends EngineReader> engines;
    private final Function<EngineViews, KeyScan<T>> open;
    private int next;

    /** The scan of the engine before {@link #next}; null if that has ended. */
    private @Nullable KeyScan<T> current;

    MultiEngineScan(List<? extends EngineReader> engines, Function<EngineViews, KeyScan<T>> open) {
        this.engines = engines;
        this.open = open;
    }

    @Override
    public List<T> next() {
        List<T> slice = new ArrayList<>();
        while (slice.isEmpty() && (current != null || next < engines.size())) {
            if (current == null) {
                current = engines.get(next++).read((views, _) -> open.apply(views));
            }
            KeyScan<T> scan = current;
            if (!engines.get(next - 1).read((_, now) -> scan.next(SLICE, now, slice))) {
                current = null;
            }
        }
        return slice;
    }

    @Override
    public void close() {
        KeyScan<T> scan = current;
        if (scan != null) {
            boolean _ =
                    engines.get(next - 1)
                            .read(
                                    (_, _) -> {
                                        scan.close();
                                        return true;
                                    });
            current = null;
        }
        next = engines.size();
    }
}
