package io.holdfast.cli.cluster;

import io.holdfast.console.options.UsageError;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.util.List;
import java.util.Map;

/** {@code holdfast cluster}: administers a cluster, and runs a demo cluster. */
@Command(
        name = "cluster",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        description = {
            "Shows and checks a cluster, changes its members, backs it up, restores it, and runs a"
                    + " demo cluster.",
            "",
            "To start a node of a cluster, use holdfast serve with --cluster, --node and"
                    + " --data-dir."
        },
        optionListHeading = "%nOptions:%n",
        commandListHeading = "%nCommands:%n")
public final class ClusterCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    private ClusterCommand() {}

    /** Creates the command, to be added to the root command. */
    public static CommandLine create(Map<String, String> environment) {
        CommandLine line = new CommandLine(new ClusterCommand());
        for (Object command :
                List.of(
                        new DemoCommand(),
                        new StatusCommand(environment),
                        new CheckCommand(environment),
                        new MemberCommands.Add(environment),
                        new MemberCommands.Remove(environment),
                        new MemberCommands.Replace(environment),
                        new MemberCommands.Move(environment),
                        new MemberCommands.Transfer(environment),
                        new BackupCommand(environment),
                        new RestoreCommand(environment),
                        new RecoverCommand(environment))) {
            line.addSubcommand(command);
        }
        line.setParameterExceptionHandler(UsageError::printShort);
        return line;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "A command is missing");
    }
}
