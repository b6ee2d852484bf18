package dev.ebb.cli;

import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Runs the command as a user would, in this process or in a separate one. */
public final class Shell {
    /** Gives a command a terminal. */
    static final Path SCRIPT = Path.of("/usr/bin/script");

    private Shell() {}

    /** Options by which a JVM that runs for seconds starts quickly, as the launcher's do. */
    static List<String> quick(String... more) {
        var options = new ArrayList<>(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        options.addAll(List.of(more));
        return options;
    }

    public record Result(int code, String out, String err) {}

    public static Result run(String... arguments) {
        var out = new StringWriter();
        var err = new StringWriter();
        var line = Main.commandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return new Result(line.execute(arguments), out.toString(), err.toString());
    }

    /** The smallest model that can be trained, on a text in {@code folder}. */
    static List<String> tiny(Path folder, String out, int steps) throws IOException {
        var text = folder.resolve("text.txt");
        if (!Files.exists(text))
            Files.writeString(text, "the tide comes, the tide goes. ".repeat(40));
        return new ArrayList<>(
                List.of(
                        "train",
                        "--model",
                        "1x16x2",
                        "--context",
                        "16",
                        "--batch",
                        "2",
                        "--steps",
                        String.valueOf(steps),
                        "--text",
                        text.toString(),
                        "--out",
                        folder.resolve(out).toString(),
                        "--json",
                        folder.resolve(out + ".json").toString()));
    }

    static Result run(List<String> arguments) {
        return run(arguments.toArray(String[]::new));
    }

    static Json json(Path file) {
        try {
            return parsed(Files.readString(file));
        } catch (IOException e) {
            throw new AssertionError(file + " was not written", e);
        }
    }

    static Json parsed(String text) {
        try {
            return Json.parse(text);
        } catch (FileFormatException e) {
            throw new AssertionError(e);
        }
    }

    static long whole(Path file, String key) {
        return json(file).at(key).flatMap(Json::whole).orElseThrow();
    }

    static String digest(Path file) {
        return json(file).at("weights_digest").flatMap(Json::text).orElseThrow();
    }

    /** Starts the command in a separate JVM, with this one's class path; starts quickly. */
    static Process spawn(List<String> arguments, Path log) throws IOException {
        return spawn(quick(), arguments, log);
    }

    /**
     * Trains in a separate JVM that is asked to stop after its first step. Returns whether it was
     * stopped; it may have made its last step before it received the signal.
     */
    static boolean stopped(List<String> options, List<String> arguments, Path log)
            throws IOException, InterruptedException {
        var child = spawn(options, arguments, log);
        while (child.isAlive() && !Files.readString(log).contains("step 1/")) Thread.sleep(5);
        child.destroy();
        child.waitFor();
        return Files.readString(log).contains("stopped after step");
    }

    /** Starts the command in a separate JVM with these JVM options. */
    static Process spawn(List<String> options, List<String> arguments, Path log)
            throws IOException {
        return start(command(options, arguments), log);
    }

    /**
     * Starts the command with a limit of {@code kibibytes} on the size of files, which acts like a
     * full disk.
     */
    static Process spawnWithFilesUpTo(int kibibytes, List<String> arguments, Path log)
            throws IOException {
        var command =
                new ArrayList<>(
                        List.of("bash", "-c", "ulimit -f " + kibibytes + "; exec \"$@\"", "ebb"));
        command.addAll(command(quick("-XX:-UsePerfData"), arguments));
        return start(command, log);
    }

    /** Starts the command on a terminal, whose output goes to {@code log}. */
    static Process spawnOnTerminal(List<String> arguments, Path log) throws IOException {
        var quoted =
                command(quick(), arguments).stream()
                        .map(word -> "'" + word.replace("'", "'\\''") + "'")
                        .collect(Collectors.joining(" "));
        var line = "stty cols 160; " + quoted;
        return start(List.of(SCRIPT.toString(), "-qec", line, "/dev/null"), log);
    }

    /**
     * Whether this process receives Ctrl-C, and so its children; a process in the background may
     * not.
     */
    static boolean interruptible() throws IOException {
        var status = Path.of("/proc/self/status");
        if (!Files.exists(status)) return false;
        var ignored =
                Files.readAllLines(status).stream()
                        .filter(line -> line.startsWith("SigIgn:"))
                        .map(line -> Long.parseUnsignedLong(line.substring(7).strip(), 16))
                        .findFirst()
                        .orElse(-1L);
        return (ignored & 2) == 0;
    }

    /** Sends Ctrl-C. */
    static void interrupt(Process child) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-INT", String.valueOf(child.pid())).start().waitFor();
    }

    private static Process start(List<String> command, Path log) throws IOException {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
    }

    private static List<String> command(List<String> options, List<String> arguments) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("--add-modules=jdk.incubator.vector");
        command.addAll(options);
        var modules = Optional.ofNullable(System.getProperty("jdk.module.path"));
        if (modules.isPresent()) {
            command.addAll(List.of("-p", modules.get(), "-m", "dev.ebb.cli/dev.ebb.cli.Main"));
        } else {
            command.addAll(
                    List.of("-cp", System.getProperty("java.class.path"), "dev.ebb.cli.Main"));
        }
        command.addAll(arguments);
        return command;
    }
}
