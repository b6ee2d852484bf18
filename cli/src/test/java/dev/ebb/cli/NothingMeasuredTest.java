package dev.ebb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A process that has made no step has no measured figures, and says so everywhere. */
final class NothingMeasuredTest {
    @TempDir Path folder;

    private void assertNothingMeasured(String name, String out) throws IOException {
        assertThat(out)
                .contains("nothing was measured, because no step was made")
                .doesNotContainPattern("(?<!nothing) measured ");
        assertThat(Files.readString(folder.resolve(name).resolve("report.html")))
                .contains("\"promised\":")
                .doesNotContain("\"measured\":", "\"diskMeasured\":");
    }

    private List<String> onDisk(int steps) throws IOException {
        var arguments = Shell.tiny(folder, "cut", steps);
        var disk = Files.createDirectories(folder.resolve("disk")).toString();
        arguments.addAll(List.of("--disk", disk, "--disk-room", "4MiB"));
        return arguments;
    }

    @Test
    void a_run_that_goes_on_where_it_had_ended() throws IOException {
        var first = Shell.run(onDisk(2));
        assertThat(first.code()).as(first.err()).isZero();
        var again = onDisk(2);
        again.add("--resume");
        var result = Shell.run(again);
        assertThat(result.code()).as(result.err()).isZero();
        assertNothingMeasured("cut", result.out());
        assertThat(Files.readString(folder.resolve("cut.json")))
                .contains("promised_peak_bytes")
                .doesNotContain("measured");
    }

    @Test
    void control_c_before_the_first_step() throws IOException, InterruptedException {
        Assumptions.assumeTrue(Shell.interruptible(), "nobody hears Ctrl-C in the background");
        var log = folder.resolve("log.txt");
        var out = "";
        var name = "";
        for (int i = 0; !out.contains("stopped after step 0"); i++) {
            name = "cut" + i;
            // it learns the size of its model before it is planned
            var child = Shell.spawn(Shell.tiny(folder, name, 100_000), log);
            while (child.isAlive() && !Files.readString(log).contains("parameters; batch"))
                Thread.sleep(1);
            Shell.interrupt(child);
            // on a busy machine the signal may arrive after the first step: then it is tried once
            // more
            assertThat(child.waitFor()).as(Files.readString(log)).isEqualTo(130);
            out = Files.readString(log);
            assertThat(out).contains("stopped after step");
        }
        assertNothingMeasured(name, out);
        assertThat(folder.resolve(name + ".json"))
                .as("the figures, before the process ends")
                .exists();
    }
}
