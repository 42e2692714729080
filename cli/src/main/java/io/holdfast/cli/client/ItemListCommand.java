package io.holdfast.cli.client;

import io.holdfast.client.Holdfast;
import io.holdfast.client.ItemList;
import io.holdfast.console.output.Printer;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.Optional;

@Command(name = "list", description = "Reads and changes lists.")
final class ItemListCommand extends CommandGroup {
    private ItemListCommand() {}

    static CommandLine create(ClientEnvironment clientEnvironment) {
        CommandLine range = new CommandLine(new Range(clientEnvironment));
        range.setUnmatchedOptionsArePositionalParams(true); // negative numbers
        return new CommandLine(new ItemListCommand())
                .addSubcommand(new Push(clientEnvironment))
                .addSubcommand(new Pop(clientEnvironment))
                .addSubcommand(range)
                .addSubcommand(new Length(clientEnvironment));
    }

    private abstract static class OfList extends ClientCommand {
        @Parameters(index = "0", paramLabel = "KEY", description = "The key of the list.")
        @SuppressWarnings("NullAway.Init")
        private String key;

        OfList(ClientEnvironment clientEnvironment) {
            super(clientEnvironment);
        }

        abstract int work(ItemList list);

        @Override
        final int work() {
            try (Holdfast client = open()) {
                return work(client.list(key));
            }
        }
    }

    @Command(name = "push", description = "Appends an item and prints the new length.")
    private static final class Push extends OfList {
        @Parameters(index = "1", paramLabel = "ITEM", description = "A text without line breaks.")
        @SuppressWarnings("NullAway.Init")
        private String item;

        @Option(
                names = "--first",
                defaultValue = "false",
                description = "Insert it at the front instead.")
        private boolean first;

        Push(ClientEnvironment clientEnvironment) {
            super(clientEnvironment);
        }

        @Override
        int work(ItemList list) {
            Printer.out(Long.toString(first ? list.pushFirst(item) : list.pushLast(item)));
            return DONE;
        }
    }

    @Command(
            name = "pop",
            description = "Removes the first item and prints it; exit status 1 if there is none.")
    private static final class Pop extends OfList {
        @Option(
                names = "--last",
                defaultValue = "false",
                description = "Remove the last item instead.")
        private boolean last;

        Pop(ClientEnvironment clientEnvironment) {
            super(clientEnvironment);
        }

        @Override
        int work(ItemList list) {
            Optional<String> item = last ? list.popLast() : list.popFirst();
            item.ifPresent(Printer::out);
            return item.isPresent() ? DONE : ABSENT;
        }
    }

    @Command(name = "range", description = "Prints items, one per line.")
    private static final class Range extends OfList {
        @Parameters(
                index = "1",
                arity = "0..1",
                paramLabel = "FIRST",
                defaultValue = "0",
                description =
                        "Index of the first item, from 0; -1 is the last item of the list (default:"
                                + " 0).")
        private long first;

        @Parameters(
                index = "2",
                arity = "0..1",
                paramLabel = "LAST",
                defaultValue = "-1",
                description = "Index of the last item (default: -1).")
        private long last;

        Range(ClientEnvironment clientEnvironment) {
            super(clientEnvironment);
        }

        @Override
        int work(ItemList list) {
            list.range(first, last).forEach(Printer::out);
            return DONE;
        }
    }

    @Command(name = "length", description = "Prints the number of items.")
    private static final class Length extends OfList {
        Length(ClientEnvironment clientEnvironment) {
            super(clientEnvironment);
        }

        @Override
        int work(ItemList list) {
            Printer.out(Long.toString(list.size()));
            return DONE;
        }
    }
}
