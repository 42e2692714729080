package io.holdfast.cluster.driver;

import io.holdfast.driver.ClientLimits;
import io.holdfast.driver.ClientUsage;
import io.holdfast.driver.ClientUsage.Counted;
import io.holdfast.driver.DriverConfig;
import io.holdfast.driver.memory.MemoryBudgets;
import io.holdfast.driver.view.EngineReader;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Refusal;

import org.jspecify.annotations.Nullable;

/**
 * Refuses commands before they are proposed: no memory on this node, or a limit of the client.
 * Commands in flight at the same time can exceed a limit. Thread-safe.
 */
final class ProposalLimits {
    private final MemoryBudgets memory;
    private final ClientLimits perClient;
    private final EngineReader replica;

    ProposalLimits(DriverConfig config, EngineReader replica) {
        this.memory = config.memory();
        this.perClient = config.perClient();
        this.replica = replica;
    }

    /** Whether there is memory for a registration of a listener. */
    boolean mayListen() {
        return memory.subscriptions().isLeft();
    }

    /** Returns why a command is refused; null if it is not. */
    @Nullable Refusal refusal(Command.Keyed command, @Nullable ClientUsage client) {
        return switch (command) {
            case Command.Acquire c -> refusal(c, c.waitNanos() != 0, client);
            case Command.Enqueue c -> refusal(c, true, client);
            case Command.RequestOffer c -> refusal(c, true, client);
            case Command.TryAcquire c -> refusal(c, false, client);
            case Command.Data c when c.operation().mayCreate() -> refusal(c, client);
            default -> null;
        };
    }

    private @Nullable Refusal refusal(
            Command.Locking c, boolean waits, @Nullable ClientUsage client) {
        boolean keyFits =
                memory.names().isLeft() && !isFull(client, Counted.NAME, perClient.names());
        boolean holdFits =
                memory.holds().isLeft() && !isFull(client, Counted.HOLD, perClient.names());
        boolean waitFits =
                memory.waits().isLeft() && !isFull(client, Counted.WAIT, perClient.waits());
        if (keyFits && holdFits && waitFits) {
            return null;
        }
        return replica.read(
                (views, _) -> {
                    if (!views.isKnown(c.kind(), c.key())) {
                        return keyFits && holdFits ? null : Refusal.TOO_MANY_KEYS;
                    }
                    if (views.isFree(c.kind(), c.key())) {
                        return holdFits ? null : Refusal.TOO_MANY_KEYS;
                    }
                    return waitFits || !waits ? null : Refusal.TOO_MANY_WAITERS;
                });
    }

    private static boolean isFull(@Nullable ClientUsage client, Counted what, int limit) {
        return client != null && client.isFull(what, limit);
    }

    private @Nullable Refusal refusal(Command.Data c, @Nullable ClientUsage client) {
        boolean full = isFull(client, Counted.ENTRY, perClient.entries());
        boolean scarce = !memory.data().isLeft();
        if (!full && !scarce) {
            return null;
        }
        boolean known = replica.read((views, _) -> views.isKnown(c.operation(), c.key()));
        boolean grows =
                c.operation() instanceof DataOperation.SetValue
                        || c.operation() instanceof DataOperation.Push;
        return known && !(scarce && grows) ? null : Refusal.TOO_MANY_ENTRIES;
    }
}
