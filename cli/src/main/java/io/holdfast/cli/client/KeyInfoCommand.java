package io.holdfast.cli.client;

import io.holdfast.client.Holdfast;
import io.holdfast.client.KeyInfo;
import io.holdfast.console.output.JsonLine;
import io.holdfast.console.output.Printer;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.Locale;
import java.util.Optional;

@Command(
        name = "info",
        description =
                "Shows the holders of a lock or semaphore and the number of waiters; exit status 1"
                        + " if the key is in use as neither.")
final class KeyInfoCommand extends ClientCommand {
    @Parameters(index = "0", paramLabel = "KEY", description = "The key of the lock or semaphore.")
    @SuppressWarnings("NullAway.Init")
    private String key;

    @Option(
            names = {"-j", "--json"},
            defaultValue = "false",
            description = "Print one line of JSON.")
    private boolean json;

    KeyInfoCommand(ClientEnvironment clientEnvironment) {
        super(clientEnvironment);
    }

    @Override
    int work() {
        try (Holdfast client = open()) {
            KeyInfo info = client.info(key);
            if (json) {
                Printer.out(
                        new JsonLine()
                                .put("key", info.key())
                                .put("lock", json(info.lock()))
                                .put("semaphore", json(info.semaphore()))
                                .toString());
            } else {
                info.lock().ifPresent(lock -> print("lock: " + held(lock), lock, true));
                info.semaphore()
                        .ifPresent(
                                semaphore ->
                                        print(
                                                "semaphore: "
                                                        + semaphore.held()
                                                        + " of "
                                                        + semaphore.limit()
                                                        + " held",
                                                semaphore,
                                                false));
            }
            if (info.lock().isPresent() || info.semaphore().isPresent()) {
                return DONE;
            }
            if (!json) {
                Printer.err("Not in use: " + Printer.printable(key));
            }
            return ABSENT;
        }
    }

    private static String held(KeyInfo.ResourceInfo lock) {
        boolean read = lock.holders().stream().anyMatch(KeyInfo.Holder::shared);
        if (read) {
            return "held by " + lock.held() + (lock.held() == 1 ? " reader" : " readers");
        }
        return lock.held() == 0 ? "free" : "held";
    }

    private static void print(String what, KeyInfo.ResourceInfo resourceInfo, boolean modes) {
        Printer.out(what + ", waiting: " + resourceInfo.waiters());
        resourceInfo.holders().forEach(holder -> Printer.out("  " + line(holder, modes)));
    }

    private static String line(KeyInfo.Holder holder, boolean modes) {
        StringBuilder line = new StringBuilder();
        line.append(holder.label().isEmpty() ? "unknown" : Printer.printable(holder.label()));
        if (modes) {
            line.append(", ").append(holder.shared() ? "read" : "write");
        }
        holder.fence().ifPresent(fence -> line.append(", fence ").append(fence));
        holder.lease()
                .ifPresent(
                        left ->
                                line.append(
                                        String.format(
                                                Locale.ROOT,
                                                ", lease %.1f s left",
                                                left.toMillis() / 1000.0)));
        return line.toString();
    }

    private static @Nullable JsonLine json(Optional<KeyInfo.ResourceInfo> part) {
        return part.map(
                        resourceInfo ->
                                new JsonLine()
                                        .put("limit", resourceInfo.limit())
                                        .put("held", resourceInfo.held())
                                        .put("waiters", resourceInfo.waiters())
                                        .put(
                                                "holders",
                                                resourceInfo.holders().stream()
                                                        .map(KeyInfoCommand::json)
                                                        .toList()))
                .orElse(null);
    }

    private static JsonLine json(KeyInfo.Holder holder) {
        Long fence = holder.fence().isPresent() ? holder.fence().getAsLong() : null;
        return new JsonLine()
                .put("session", holder.session())
                .put("label", holder.label())
                .put("fence", fence == null ? null : fence.toString())
                .put("mode", holder.shared() ? "read" : "write")
                .put("lease_ms", holder.lease().map(left -> left.toMillis()).orElse(null));
    }
}
