package io.holdfast.driver;

import io.holdfast.driver.memory.MemoryBudgets;
import io.holdfast.engine.Key;
import io.holdfast.testsupport.TestTier;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Lincheck tries the interleavings; each must look like some order of whole operations. */
@DisplayName("The quotas of a local driver, in every interleaving")
public class LocalQuotasLincheckTest {
    private static final Key KEY = Key.of("key");

    private final ClientUsage client = new ClientUsage();
    private final LocalQuotas quotas =
            new LocalQuotas(
                    new ClockFences(),
                    new KeyCountLimits(1, 1, 1),
                    new ClientLimits(0, 0, 1),
                    MemoryBudgets.UNLIMITED,
                    _ -> null);

    @Operation
    public boolean reserve() {
        return quotas.reserveKey(KEY, null);
    }

    @Operation
    public void release() {
        quotas.returnKey(KEY, null);
    }

    @Operation
    public boolean reserveOfClient() {
        return quotas.reserveEntry(KEY, client);
    }

    @Test
    void a_refused_key_is_never_counted() {
        new ModelCheckingOptions()
                .iterations(TestTier.usually(20, 200))
                .invocationsPerIteration(150)
                .threads(3)
                .actorsPerThread(1)
                .actorsBefore(1)
                .actorsAfter(0)
                .check(getClass());
    }
}
