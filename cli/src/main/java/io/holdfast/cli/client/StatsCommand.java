package io.holdfast.cli.client;

import io.holdfast.client.Holdfast;
import io.holdfast.client.ServerStats;
import io.holdfast.console.output.Printer;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.List;

@Command(name = "stats", description = "Shows the held keys with their holders and waiters.")
final class StatsCommand extends ClientCommand {
    @Option(
            names = {"-j", "--json"},
            defaultValue = "false",
            description = "Print the complete statistics, one line of JSON per server.")
    private boolean json;

    StatsCommand(ClientEnvironment clientEnvironment) {
        super(clientEnvironment);
    }

    @Override
    int work() {
        try (Holdfast client = open()) {
            for (ServerStats stats : client.stats()) {
                if (json) {
                    Printer.out(stats.json());
                } else {
                    Printer.out(stats.address() + ", connections: " + stats.connections());
                    table(stats);
                }
            }
            return DONE;
        }
    }

    private static void table(ServerStats stats) {
        List<List<String>> rows = new ArrayList<>();
        stats.locks().forEach(held -> rows.add(row("lock", held)));
        stats.semaphores().forEach(held -> rows.add(row("semaphore", held)));
        if (!rows.isEmpty()) {
            rows.addFirst(List.of("KIND", "HELD", "LIMIT", "WAITING", "KEY"));
        }
        for (List<String> row : rows) {
            Printer.out(
                    String.format(
                            "%-9s %6s %6s %8s  %s",
                            row.get(0), row.get(1), row.get(2), row.get(3), row.get(4)));
        }
    }

    private static List<String> row(String kind, ServerStats.HeldKey held) {
        return List.of(
                kind,
                Long.toString(held.holders()),
                Long.toString(held.limit()),
                Long.toString(held.waiters()),
                Printer.printable(held.key()));
    }
}
