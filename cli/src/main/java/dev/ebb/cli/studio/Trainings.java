package dev.ebb.cli.studio;

import dev.ebb.cli.report.RunWatch;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;

/** What trains, tries and lets write. */
public interface Trainings {

    /** Runs the command line's {@code train} with these arguments; its exit code. */
    int train(List<String> arguments, RunWatch watch, PrintWriter out, PrintWriter err);

    /** The loss of a checkpoint on a text, in nats a character. */
    double loss(Path checkpoint, Path text) throws IOException;

    /** What a checkpoint writes after a prompt. */
    String sample(Path checkpoint, String prompt) throws IOException;

    /** The text that is trained on where none is named. */
    byte[] ownText() throws IOException;
}
