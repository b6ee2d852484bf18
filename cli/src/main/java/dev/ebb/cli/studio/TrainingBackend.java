package dev.ebb.cli.studio;

import dev.ebb.cli.report.RunWatch;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;

/**
 * The studio's interface to training, evaluation and text generation, implemented with the
 * commands.
 */
public interface TrainingBackend {

    /** Runs the {@code train} command with these arguments; returns its exit code. */
    int train(List<String> arguments, RunWatch watch, PrintWriter out, PrintWriter err);

    /** The loss of a checkpoint on a text, in nats per character. */
    double loss(Path checkpoint, Path text) throws IOException;

    /** The text that the model in a checkpoint generates after a prompt. */
    String sample(Path checkpoint, String prompt) throws IOException;

    /** The default text to train on. */
    byte[] ownText() throws IOException;
}
