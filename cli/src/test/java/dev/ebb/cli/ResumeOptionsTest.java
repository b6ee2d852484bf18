package dev.ebb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A resumption uses the settings with which the run was started; a change is reported or refused.
 */
final class ResumeOptionsTest {
    private static final String BUDGET = "6MiB";
    private static final int BEGUN = 4;

    @TempDir Path folder;

    private Shell.Result begin(String... more) throws IOException {
        var arguments = Shell.tiny(folder, "run", BEGUN);
        arguments.addAll(List.of("--budget", BUDGET, "--threads", "1"));
        arguments.addAll(List.of(more));
        var result = Shell.run(arguments);
        assertThat(result.code()).as(result.err()).isZero();
        return result;
    }

    private Shell.Result resume(String... more) {
        var arguments =
                new ArrayList<>(
                        List.of(
                                "train",
                                "--resume",
                                "--out",
                                folder.resolve("run").toString(),
                                "--json",
                                folder.resolve("again.json").toString()));
        arguments.addAll(List.of(more));
        return Shell.run(arguments);
    }

    private RunOptions setup() throws IOException {
        return new RunFolder(folder.resolve("run")).restore().checkpoint().setup();
    }

    @Test
    void nothing_is_forgotten() throws IOException {
        var disk = folder.resolve("disk");
        Files.createDirectory(disk);
        begin(
                "--disk",
                disk.toString(),
                "--disk-room",
                "32MiB",
                "--checkpoint",
                "3",
                "--cost",
                "typical");
        var setup = setup();
        assertThat(setup)
                .isEqualTo(
                        new RunOptions(
                                BUDGET, disk.toString(), "32MiB", "typical", 1, 3, BEGUN, "", ""));
        var again = resume("--steps", "6");
        assertThat(again.code()).as(again.err()).isZero();
        assertThat(again.out()).contains("steps 4 -> 6").doesNotContain("budget 6MiB ->");
        assertThat(Shell.whole(folder.resolve("again.json"), "budget_bytes")).isEqualTo(6 << 20);
        assertThat(Shell.whole(folder.resolve("again.json"), "disk_room_bytes"))
                .isEqualTo(32 << 20);
        assertThat(Shell.whole(folder.resolve("again.json"), "steps")).isEqualTo(6);
        // the change is stored for the next resumption
        assertThat(setup().steps()).isEqualTo(6);
        var done = resume();
        assertThat(done.code()).as(done.err()).isZero();
        assertThat(done.out()).contains("all 6 steps are made already");
    }

    @Test
    void a_change_of_bounds_is_told_and_changes_no_bit() throws IOException {
        var whole = Shell.tiny(folder, "whole", 6);
        assertThat(Shell.run(whole).code()).isZero();
        var begun = Shell.tiny(folder, "run", 6);
        begun.addAll(List.of("--budget", BUDGET, "--checkpoint", "3"));
        assertThat(Shell.run(begun).code()).isZero();
        var run = new RunFolder(folder.resolve("run"));
        Files.copy(
                run.before(), run.checkpoint(), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        var again = resume("--budget", "7MiB", "--threads", "2");
        assertThat(again.code()).as(again.err()).isZero();
        assertThat(again.out())
                .contains(
                        "budget 6MiB -> 7MiB", "threads one a core -> 2", "going on after step 3");
        assertThat(Shell.digest(folder.resolve("again.json")))
                .isEqualTo(Shell.digest(folder.resolve("whole.json")));
    }

    @Test
    void what_would_change_the_result_is_refused() throws IOException {
        begin();
        var before = Files.readAllBytes(folder.resolve("run/checkpoint.safetensors"));
        refused("--batch 3", "begun with 2", "--batch", "3");
        refused("--context 17", "begun with 16", "--context", "17");
        refused("--seed 2", "begun with 1", "--seed", "2");
        refused("--model 2x64x4", "1 layers, width 16, 2 heads", "--model", "tiny");
        refused("--from ", "begun without it", "--from", "x.safetensors");
        refused("--prefix y.", "begun without it", "--prefix", "y.");
        assertThat(Files.readAllBytes(folder.resolve("run/checkpoint.safetensors")))
                .isEqualTo(before);
        // the same value again is not a change
        var same = resume("--batch", "2", "--context", "16", "--seed", "1", "--model", "1x16x2");
        assertThat(same.code()).as(same.err()).isZero();
    }

    private void refused(String asked, String begun, String... option) {
        var result = resume(option);
        assertThat(result.code()).as(asked).isEqualTo(1);
        assertThat(result.err()).contains(asked, begun, "--out").doesNotContain("\tat ");
    }

    /** The folder's name needs quoting; a shell parses the printed command line. */
    @Test
    void the_command_printed_after_a_stop_goes_on_as_it_is()
            throws IOException, InterruptedException {
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/bin/bash")), "a line for a shell");
        int steps = 120;
        var whole = Shell.tiny(folder, "whole", steps);
        assertThat(Shell.run(whole).code()).isZero();
        var log = folder.resolve("log.txt");
        var options = Shell.quick("-Dsun.jnu.encoding=UTF-8");
        var name = "it's a run, größer";
        while (!Shell.stopped(options, begun(name, steps), log)) name += "!";
        var line =
                Files.readString(log)
                        .lines()
                        .filter(l -> l.contains("go on with: "))
                        .findFirst()
                        .orElseThrow(() -> new AssertionError("no command was printed"));
        var command = line.substring(line.indexOf("go on with: ") + 12);
        var again = Shell.run(words(command));
        assertThat(again.code()).as(again.err()).isZero();
        var figures = folder.resolve(name + ".json");
        assertThat(Shell.digest(figures)).isEqualTo(Shell.digest(folder.resolve("whole.json")));
        assertThat(Shell.whole(figures, "steps")).isEqualTo(steps);
        assertThat(Shell.whole(figures, "budget_bytes")).isEqualTo(6 << 20);
    }

    private List<String> begun(String name, int steps) throws IOException {
        var begun = Shell.tiny(folder, name, steps);
        begun.addAll(List.of("--budget", BUDGET, "--checkpoint", "100000"));
        return begun;
    }

    /** The arguments that a shell would pass to the program. */
    private static List<String> words(String command) throws IOException, InterruptedException {
        var shell =
                new ProcessBuilder("bash", "-c", "ebb() { printf '%s\\n' \"$@\"; }; " + command)
                        .redirectErrorStream(true)
                        .start();
        var out = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(shell.waitFor()).as(out).isZero();
        return Arrays.asList(out.strip().split("\n"));
    }
}
