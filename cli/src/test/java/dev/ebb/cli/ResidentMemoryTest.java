package dev.ebb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.cli.report.ResidentMemory;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The resident memory of the whole process is at most the budget plus a constant for the JVM, and a
 * smaller budget reduces the resident memory too. The JVM is started as {@code ./ebb} starts it.
 */
final class ResidentMemoryTest {
    /** The difference between two runs in the memory of the JVM itself. */
    private static final long NOISE = 40L << 20;

    @TempDir Path folder;

    private record Taken(long promised, long measured, long resident) {}

    private Taken train(String name, String... more) throws IOException, InterruptedException {
        var text = folder.resolve("text.txt");
        if (!Files.exists(text))
            Files.writeString(text, "the tide comes, the tide goes. ".repeat(400));
        var json = folder.resolve(name + ".json");
        var arguments =
                new ArrayList<>(
                        List.of(
                                "train",
                                "--text",
                                text.toString(),
                                "--out",
                                folder.resolve(name).toString(),
                                "--json",
                                json.toString(),
                                "--checkpoint",
                                "1"));
        arguments.addAll(List.of(more));
        var log = folder.resolve(name + ".txt");
        var child = Shell.spawn(launcher(), arguments, log);
        assertThat(child.waitFor()).as(Files.readString(log)).isZero();
        assertThat(Files.readString(log)).contains("process: at most ", " for the JVM");
        return new Taken(
                Shell.whole(json, "promised_peak_bytes"),
                Shell.whole(json, "measured_peak_bytes"),
                Shell.whole(json, "resident_peak_bytes"));
    }

    /** The options in the launcher's line {@code heap=(...)}. */
    private static List<String> launcher() throws IOException {
        var line =
                Files.readAllLines(Path.of("..", "ebb")).stream()
                        .filter(l -> l.startsWith("heap=("))
                        .findFirst()
                        .orElseThrow();
        return List.of(line.substring("heap=(".length(), line.length() - 1).split(" "));
    }

    /** Keeping everything would take more than 1 GiB, all of which is used. */
    @Test
    void what_a_budget_saves_is_saved_in_the_process() throws IOException, InterruptedException {
        Assumptions.assumeTrue(ResidentMemory.peakBytes().isPresent(), "no /proc/self/status here");
        String[] model = {"--model", "2x64x4", "--context", "128", "--batch", "900"};
        var large = withConstant(train("large", with(model, 1, "1GiB")));
        var small = withConstant(train("small", with(model, 1, "400MiB")));
        long budget = 1L << 30;
        assertThat(large.promised).as("%s", large).isBetween(budget / 10 * 9, budget);
        assertThat(small.promised).as("%s", small).isLessThanOrEqualTo(400L << 20);
        assertThat(large.resident - small.resident)
                .as("%s against %s", large, small)
                .isGreaterThan(large.promised - small.promised - NOISE);
    }

    private static Taken withConstant(Taken run) {
        assertThat(run.measured).as("%s", run).isBetween(run.promised / 10 * 9, run.promised);
        assertThat(run.resident)
                .as("%s", run)
                .isBetween(run.measured, run.promised + ResidentMemory.JVM_BYTES);
        return run;
    }

    /** The weights and their optimizer state take most of the budget. */
    @Test
    void a_run_that_goes_on_takes_no_more() throws IOException, InterruptedException {
        Assumptions.assumeTrue(ResidentMemory.peakBytes().isPresent(), "no /proc/self/status here");
        String[] wide = {"--model", "1x1024x4", "--context", "16", "--batch", "1"};
        withConstant(train("heavy", with(wide, 2, "100%")));
        withConstant(train("heavy", "--resume", "--steps", "3", "--budget", "100%"));
    }

    private static String[] with(String[] model, int steps, String budget) {
        var all = new ArrayList<>(List.of(model));
        all.addAll(List.of("--steps", String.valueOf(steps), "--budget", budget));
        return all.toArray(String[]::new);
    }
}
