package dev.ebb.cli;

import org.jspecify.annotations.Nullable;

import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

import java.util.Objects;

/** Prints a completion script for the shell. */
@Command(
        name = "completion",
        mixinStandardHelpOptions = true,
        description = "Print a completion script for bash and zsh: source <(ebb completion).")
final class CompletionCommand implements Runnable {
    @Spec private @Nullable CommandSpec spec;

    @Override
    public void run() {
        var line = Objects.requireNonNull(spec).commandLine();
        line.getOut().print(AutoComplete.bash("ebb", Main.commandLine()));
        line.getOut().flush();
    }
}
