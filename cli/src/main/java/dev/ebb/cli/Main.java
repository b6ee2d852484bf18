package dev.ebb.cli;

import dev.ebb.cli.option.ErrorMessages;
import dev.ebb.cli.report.RunWatch;
import dev.ebb.cli.report.StandardOutput;
import dev.ebb.cli.tune.FinetuneCommand;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Option;
import picocli.CommandLine.UnmatchedArgumentException;

import java.io.PrintWriter;
import java.lang.module.ModuleDescriptor;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/** The entry point of the command line. */
@Command(
        name = "ebb",
        description = "Gradients and training within a memory budget.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:success",
            "1:failure; the message says why and what to do",
            "2:invalid command line",
            "70:internal error in Ebb",
            "130:stopped by the user; continue with --resume"
        },
        footer = "%nStart with 'ebb train': a small language model in 64 MiB, in two minutes.")
final class Main implements Runnable {
    /** The commands by name, in the order of the help text. */
    private static final SequencedMap<String, Class<?>> COMMANDS = commands();

    @Option(
            names = "--stack-trace",
            scope = CommandLine.ScopeType.INHERIT,
            description = "Print the stack trace of an error.")
    private boolean stackTrace;

    Main() {}

    public static void main(String[] args) {
        // the help text lists all commands
        boolean named = args.length > 0 && COMMANDS.containsKey(args[0]) && !args[0].equals("help");
        // reading a command's options by reflection takes a while, so only the named command's
        // are read
        var read = named ? List.of(args[0]) : COMMANDS.sequencedKeySet();
        var out = StandardOutput.install();
        int code = commandLine(RunWatch.NONE, read).execute(args);
        System.exit(out.isWhole(System.err) ? code : ErrorMessages.CANNOT);
    }

    private static SequencedMap<String, Class<?>> commands() {
        var all = new LinkedHashMap<String, Class<?>>();
        all.put("train", TrainCommand.class);
        all.put("finetune", FinetuneCommand.class);
        all.put("generate", GenerateCommand.class);
        all.put("plan", PlanCommand.class);
        all.put("curve", CurveCommand.class);
        all.put("memory", MemoryCommand.class);
        all.put("devices", DevicesCommand.class);
        all.put("explain", ExplainCommand.class);
        all.put("studio", StudioCommand.class);
        all.put("completion", CompletionCommand.class);
        all.put("help", CommandLine.HelpCommand.class);
        return Collections.unmodifiableSequencedMap(all);
    }

    static CommandLine commandLine() {
        return commandLine(RunWatch.NONE);
    }

    /** The command line; {@code watch} receives the events of its training runs. */
    static CommandLine commandLine(RunWatch watch) {
        return commandLine(watch, COMMANDS.sequencedKeySet());
    }

    private static CommandLine commandLine(RunWatch watch, Collection<String> commands) {
        var main = new Main();
        var factory = factory(watch);
        var line = new CommandLine(main, factory);
        for (var name : commands)
            line.addSubcommand(name, new CommandLine(COMMANDS.get(name), factory));
        line.setOut(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
        line.setErr(new PrintWriter(System.err, true, StandardCharsets.UTF_8));
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler(
                (e, command, _) -> ErrorMessages.report(e, command, main.stackTrace));
        line.setParameterExceptionHandler((e, _) -> unread(e));
        line.setExecutionStrategy(parsed -> executed(parsed, line, main));
        return line;
    }

    /** Runs the command. Picocli reports exceptions but not errors, such as an OutOfMemoryError. */
    private static int executed(CommandLine.ParseResult parsed, CommandLine line, Main main) {
        try {
            return new CommandLine.RunLast().execute(parsed);
        } catch (Error e) {
            return ErrorMessages.report(e, line, main.stackTrace);
        }
    }

    private static CommandLine.IFactory factory(RunWatch watch) {
        var usual = CommandLine.defaultFactory();
        return new CommandLine.IFactory() {
            @Override
            public <K> K create(Class<K> kind) throws Exception {
                return kind == TrainCommand.class
                        ? kind.cast(new TrainCommand(watch))
                        : usual.create(kind);
            }
        };
    }

    /** Prints the error in the command line, and which help text explains its options. */
    private static int unread(CommandLine.ParameterException e) {
        var command = e.getCommandLine();
        var err = command.getErr();
        err.println("ebb: " + e.getMessage());
        UnmatchedArgumentException.printSuggestions(e, err);
        err.println(
                "ebb: '"
                        + command.getCommandSpec().qualifiedName()
                        + " --help' explains every option");
        return command.getCommandSpec().exitCodeOnInvalidInput();
    }

    @Override
    public void run() {
        CommandLine.usage(this, System.out);
    }

    /** The version of this module. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            var version =
                    Optional.ofNullable(Main.class.getModule().getDescriptor())
                            .flatMap(ModuleDescriptor::rawVersion);
            return new String[] {"ebb " + version.orElse("(unpackaged)")};
        }
    }
}
