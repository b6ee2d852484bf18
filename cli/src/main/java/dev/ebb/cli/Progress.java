package dev.ebb.cli;

import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

import java.io.Console;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.Optional;

/** How training goes, told on a terminal by a bar and elsewhere by a line now and then. */
final class Progress implements AutoCloseable {
    private static final double QUIET_SECONDS = 5;

    private final Optional<ProgressBar> bar;
    private final PrintWriter lines;
    private final long steps;
    private double sinceLine = Double.POSITIVE_INFINITY;

    /** One step's figures. */
    record Figures(long step, double loss, double seconds, int tokens, String memory) {}

    private double pace;

    private Progress(Optional<ProgressBar> bar, PrintWriter lines, long steps) {
        this.bar = bar;
        this.lines = lines;
        this.steps = steps;
    }

    static Progress of(long from, long steps, PrintWriter lines) {
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

    void show(Figures f) {
        pace = pace == 0 ? f.seconds : 0.9 * pace + 0.1 * f.seconds;
        sinceLine += f.seconds;
        var text =
                String.format(
                        Locale.ROOT,
                        "loss %.3f, %,.0f tokens/s, %s left, %s",
                        f.loss,
                        f.tokens / pace,
                        duration((steps - f.step) * pace),
                        f.memory);
        bar.ifPresent(b -> b.setExtraMessage(" " + text).stepTo(f.step));
        if (bar.isEmpty() && (sinceLine >= QUIET_SECONDS || f.step == steps)) {
            lines.println("step " + f.step + "/" + steps + ": " + text);
            sinceLine = 0;
        }
    }

    static String duration(double seconds) {
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
