package dev.ebb.cli.report;

import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

import java.io.Console;
import java.io.PrintWriter;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Shows the progress of training: as a progress bar on a terminal, otherwise as a line from time to
 * time.
 */
public final class Progress implements AutoCloseable {
    private static final double QUIET_SECONDS = 5;

    /** The remaining time is estimated from this number of latest steps. */
    private static final int RECENT = 10;

    /**
     * The remaining time is shown after this number of steps if they took about equally long,
     * otherwise after {@link #RECENT}.
     */
    private static final int FEW = 3;

    private static final double ABOUT = 1.25;

    private final Optional<ProgressBar> bar;
    private final PrintWriter lines;
    private final long steps;
    private final Deque<Double> recent = new ArrayDeque<>();
    private double sinceLine = Double.POSITIVE_INFINITY;

    /** The figures of one step. */
    public record Figures(long step, double loss, double seconds, int tokens, String memory) {}

    private Progress(Optional<ProgressBar> bar, PrintWriter lines, long steps) {
        this.bar = bar;
        this.lines = lines;
        this.steps = steps;
    }

    public static Progress of(long from, long steps, PrintWriter lines) {
        if (Optional.ofNullable(System.console()).filter(Console::isTerminal).isEmpty())
            return new Progress(Optional.empty(), lines, steps);
        var bar =
                new ProgressBarBuilder()
                        .setTaskName("train")
                        .setInitialMax(steps)
                        .startsFrom(from, java.time.Duration.ZERO)
                        .setStyle(ProgressBarStyle.ASCII)
                        .setUpdateIntervalMillis(200)
                        .hideEta()
                        .build();
        return new Progress(Optional.of(bar), lines, steps);
    }

    public void show(Figures f) {
        recent.addLast(f.seconds);
        if (recent.size() > RECENT) recent.removeFirst();
        double pace = RunFigures.median(List.copyOf(recent));
        sinceLine += f.seconds;
        var text =
                String.format(
                        Locale.ROOT,
                        "loss %.3f, %,.0f tokens/s, %s, %s",
                        f.loss,
                        f.tokens / pace,
                        left((steps - f.step) * pace),
                        f.memory);
        bar.ifPresent(b -> b.setExtraMessage(" " + text).stepTo(f.step));
        if (bar.isEmpty() && (sinceLine >= QUIET_SECONDS || f.step == steps)) {
            lines.println("step " + f.step + "/" + steps + ": " + text);
            sinceLine = 0;
        }
    }

    /**
     * The estimated remaining time. The first steps are ignored: they are slow because the JIT is
     * still compiling.
     */
    private String left(double seconds) {
        return isSettled() || seconds == 0 ? duration(seconds) + " left" : "estimating time left";
    }

    private boolean isSettled() {
        if (recent.size() >= RECENT) return true;
        if (recent.size() < FEW) return false;
        var last = List.copyOf(recent).subList(recent.size() - FEW, recent.size());
        return Collections.max(last) <= ABOUT * Collections.min(last);
    }

    public static String duration(double seconds) {
        long s = Math.round(seconds);
        return s < 60
                ? s + " s"
                : s < 3600
                        ? String.format(Locale.ROOT, "%d:%02d min", s / 60, s % 60)
                        : String.format(Locale.ROOT, "%d:%02d h", s / 3600, s % 3600 / 60);
    }

    @Override
    public void close() {
        bar.ifPresent(ProgressBar::close);
    }
}
