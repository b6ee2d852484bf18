package dev.ebb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.cli.report.Resident;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The whole process stays within the budget and a constant for the JVM, and what the budget saves
 * is saved in the process too. The JVM is started as {@code ./ebb} starts it.
 */
final class ResidentTest {
    /** How much two runs of one JVM differ in what the JVM itself takes. */
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

    @Test
    void the_process_takes_the_budget_and_a_constant() throws IOException, InterruptedException {
        Assumptions.assumeTrue(Resident.peakBytes().isPresent(), "no /proc/self/status here");
        String[] model = {"--model", "1x64x4", "--context", "128", "--batch", "240"};
        var all = train("all", with(model, 1, "100%"));
        var half = train("half", with(model, 1, "50%"));
        assertThat(all.promised - half.promised).as("worth measuring").isGreaterThan(2 * NOISE);
        assertThat(all.resident - half.resident)
                .as("%s against %s", all, half)
                .isGreaterThan(all.promised - half.promised - NOISE);
        // the weights and their optimizer state are most of the budget here
        String[] wide = {"--model", "1x1024x4", "--context", "16", "--batch", "1"};
        var heavy = train("heavy", with(wide, 2, "100%"));
        var resumed = train("heavy", "--resume", "--steps", "3", "--budget", "100%");
        for (var run : List.of(all, half, heavy, resumed)) {
            assertThat(run.resident).as("%s", run).isLessThan(run.promised + Resident.JVM_BYTES);
        }
    }

    /** Keeping everything would take more: the budget is used, and the process stays in it. */
    @Test
    void a_budget_of_one_gibibyte() throws IOException, InterruptedException {
        Assumptions.assumeTrue(Resident.peakBytes().isPresent(), "no /proc/self/status here");
        long budget = 1L << 30;
        var run =
                train(
                        "large",
                        "--model",
                        "2x64x4",
                        "--context",
                        "128",
                        "--batch",
                        "900",
                        "--steps",
                        "1",
                        "--budget",
                        "1GiB");
        assertThat(run.promised).as("%s", run).isBetween(budget / 10 * 9, budget);
        assertThat(run.measured).as("%s", run).isBetween(run.promised / 10 * 9, run.promised);
        assertThat(run.resident)
                .as("%s", run)
                .isBetween(run.measured, run.promised + Resident.JVM_BYTES);
    }

    private static String[] with(String[] model, int steps, String budget) {
        var all = new ArrayList<>(List.of(model));
        all.addAll(List.of("--steps", String.valueOf(steps), "--budget", budget));
        return all.toArray(String[]::new);
    }
}
