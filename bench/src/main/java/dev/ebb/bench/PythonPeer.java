package dev.ebb.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A program that times PyTorch, run in a process of its own.
 *
 * @param command starts the program; arguments are added to it
 */
public record PythonPeer(List<String> command) {
    /** The last line that a process printed, and whether it ended without an error. */
    public record Output(boolean succeeded, String lastLine) {}

    public PythonPeer {
        command = List.copyOf(command);
    }

    /** A program of {@code src/peers/python}, run by the {@code python3} on the path. */
    public static PythonPeer script(String name) {
        return new PythonPeer(List.of("python3", "src/peers/python/" + name));
    }

    /** Runs the program to its end. */
    public Output run(List<String> arguments) {
        var all = new ArrayList<>(command);
        all.addAll(arguments);
        try {
            var process = new ProcessBuilder(all).redirectErrorStream(true).start();
            var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            var last = text.lines().filter(l -> !l.isBlank()).reduce("", (_, line) -> line);
            return new Output(process.waitFor() == 0, last);
        } catch (IOException e) {
            return new Output(false, e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Output(false, "interrupted");
        }
    }
}
