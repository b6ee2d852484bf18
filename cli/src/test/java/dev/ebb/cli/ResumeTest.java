package dev.ebb.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.cli.option.Refusal;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** A run that is stopped and resumed ends with the same bits as one that was not. */
final class ResumeTest {
    private static final int BEGUN = 3;
    private static final int LONG = 120;
    private static final int KILLS = 10;
    private static final int ENDLESS = 1_000_000;

    /** The exit code of a killed process: 128 plus the number of the signal. */
    private static final int KILLED = 128 + 9;

    /** A complete run of {@link #LONG} steps, and a started one, both made once for all tests. */
    @TempDir static Path before;

    @TempDir Path folder;

    @BeforeAll
    static void train() throws IOException {
        assertThat(Shell.run(Shell.tiny(before, "whole", LONG)).code()).isZero();
        var begun = Shell.tiny(before, "begun", BEGUN);
        begun.addAll(List.of("--checkpoint", "1"));
        assertThat(Shell.run(begun).code()).isZero();
    }

    private List<String> arguments(String name, int steps, String... more) throws IOException {
        var arguments = Shell.tiny(folder, name, steps);
        arguments.addAll(List.of(more));
        if (!arguments.contains("--checkpoint")) arguments.addAll(List.of("--checkpoint", "1"));
        return arguments;
    }

    /** The started run, copied to a folder of the test. */
    private RunFolder begun() throws IOException {
        return copyOfBegun("run");
    }

    private RunFolder copyOfBegun(String name) throws IOException {
        var copy = Files.createDirectory(folder.resolve(name));
        try (var files = Files.list(before.resolve("begun"))) {
            for (var file : files.toList()) Files.copy(file, copy.resolve(file.getFileName()));
        }
        return new RunFolder(copy);
    }

    private void assertSame(String name, Path whole) {
        var run = folder.resolve(name + ".json");
        assertThat(Shell.digest(run)).isEqualTo(Shell.digest(whole));
        assertThat(Shell.json(run).at("loss")).isEqualTo(Shell.json(whole).at("loss"));
    }

    /** The run has more steps than it could make before the kill. */
    @Test
    void killed_at_ten_random_moments_it_goes_on_bit_for_bit()
            throws IOException, InterruptedException {
        var run = begun();
        var random = new Random(7);
        var log = folder.resolve("log.txt");
        int untilFirst = 1;
        for (int i = 0; i < KILLS; i++) {
            long from = System.nanoTime();
            var child = Shell.spawn(arguments("run", ENDLESS, "--resume"), log);
            if (i % 2 == 0) {
                // some steps after the first checkpoint of this process
                awaitChange(child, run.checkpoint());
                untilFirst = 1 + (int) TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - from);
                child.waitFor(random.nextInt(25), TimeUnit.MILLISECONDS);
            } else {
                // in any phase before that: starting, planning, reading, training
                child.waitFor(random.nextInt(untilFirst), TimeUnit.MILLISECONDS);
            }
            child.destroyForcibly();
            assertThat(child.waitFor()).as(Files.readString(log)).isEqualTo(KILLED);
        }
        long made = run.restore().checkpoint().step();
        assertThat(made).as("steps").isGreaterThanOrEqualTo(BEGUN + KILLS / 2);
        int steps = Math.toIntExact(made) + 2;
        var last = Shell.run(arguments("run", steps, "--resume"));
        assertThat(last.code()).as(last.err()).isZero();
        copyOfBegun("whole");
        var whole = Shell.run(arguments("whole", steps, "--resume", "--checkpoint", "1000000"));
        assertThat(whole.code()).as(whole.err()).isZero();
        assertSame("run", folder.resolve("whole.json"));
    }

    private static void awaitChange(Process child, Path file)
            throws IOException, InterruptedException {
        var before = Files.exists(file) ? Files.getLastModifiedTime(file).toMillis() : 0;
        while (child.isAlive()
                && !(Files.exists(file) && Files.getLastModifiedTime(file).toMillis() > before))
            Thread.sleep(5);
    }

    @Test
    void a_corrupted_checkpoint_gives_way_to_the_one_before() throws IOException {
        var run = begun();
        var good = Files.readAllBytes(run.checkpoint());
        for (int at : new int[] {good.length / 2, good.length - 3, 20}) {
            var bad = good.clone();
            bad[at] ^= 1;
            Files.write(run.checkpoint(), bad);
            var found = run.restore();
            assertThat(found.checkpoint().step()).isEqualTo(BEGUN - 1);
            assertThat(found.remark()).contains("checkpoint.safetensors", "the one before");
        }
        var again = Shell.run(arguments("run", BEGUN, "--resume"));
        assertThat(again.code()).as(again.err()).isZero();
        assertThat(again.err()).contains("the one before");
        Files.write(run.checkpoint(), new byte[10]);
        Files.write(run.before(), new byte[10]);
        assertThatThrownBy(run::restore).isInstanceOf(Refusal.class).hasMessageContaining("--out");
    }

    @Test
    void a_full_disk_leaves_the_last_checkpoint_and_the_run_goes_on_later()
            throws IOException, InterruptedException {
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/bin/bash")), "limits need bash");
        var run = begun();
        int steps = BEGUN + 2;
        var good = Files.readAllBytes(run.checkpoint());
        var before = Files.readAllBytes(run.before());
        var log = folder.resolve("log.txt");
        int less = good.length / 1024 / 2;
        var child = Shell.spawnWithFilesUpTo(less, arguments("run", steps, "--resume"), log);
        assertThat(child.waitFor()).as(Files.readString(log)).isEqualTo(1);
        assertThat(Files.readString(log))
                .contains(
                        "ebb: the checkpoint of step " + (BEGUN + 1) + " cannot be written",
                        "the disk is full",
                        "the last good one is kept",
                        "--resume")
                .doesNotContain("\tat ");
        assertThat(Files.readAllBytes(run.checkpoint())).isEqualTo(good);
        assertThat(Files.readAllBytes(run.before())).isEqualTo(before);
        try (var files = Files.list(run.path())) {
            assertThat(files.map(f -> f.getFileName().toString()))
                    .as("no half a file is left")
                    .noneMatch(name -> name.contains("next") || name.contains("part"));
        }
        // with the last learning rate of the original run: the same bits
        var again = Shell.run(arguments("run", steps, "--resume"));
        assertThat(again.code()).as(again.err()).isZero();
        assertThat(Shell.whole(folder.resolve("run.json"), "steps")).isEqualTo(steps);
    }

    @Test
    void a_folder_that_cannot_be_made_is_named() throws IOException {
        var nowhere = Path.of("/proc/ebb-cannot-be-made");
        Assumptions.assumeTrue(Files.isDirectory(Path.of("/proc")), "a folder nobody may write");
        var arguments = Shell.tiny(folder, "x", 1);
        arguments.set(arguments.indexOf(folder.resolve("x").toString()), nowhere.toString());
        var made = Shell.run(arguments);
        assertThat(made.code()).isEqualTo(1);
        assertThat(made.err()).contains(nowhere.toString(), "--out").doesNotContain("\tat ");
    }

    @Test
    void a_folder_without_permission_is_named() throws IOException {
        var locked = Files.createDirectory(folder.resolve("locked"));
        assertThat(locked.toFile().setWritable(false)).isTrue();
        Assumptions.assumeFalse(Files.isWritable(locked), "root may write anywhere");
        var result = Shell.run(Shell.tiny(folder, "locked", 1));
        assertThat(result.code()).isEqualTo(1);
        assertThat(result.err()).contains("locked cannot be written; name another with --out");
    }

    @Test
    void both_checkpoints_corrupted_end_in_a_sentence() throws IOException {
        var run = begun();
        for (var file : List.of(run.checkpoint(), run.before())) {
            var bad = Files.readAllBytes(file);
            bad[bad.length / 2] ^= 4;
            Files.delete(file);
            Files.write(file, bad);
        }
        var result = Shell.run(arguments("run", BEGUN, "--resume"));
        assertThat(result.code()).isEqualTo(1);
        assertThat(result.err())
                .contains("no checkpoint can be read", "corrupted", "the one before", "--out")
                .doesNotContain("\tat ");
    }

    @Test
    void a_polite_kill_saves_first_and_the_run_goes_on() throws IOException, InterruptedException {
        var log = folder.resolve("log.txt");
        int tries = 0;
        while (!Shell.stopped(Shell.quick(), unsaved("cut" + tries), log)) tries++;
        assertThat(Files.readString(log)).contains("--resume --out");
        var last = Shell.run(arguments("cut" + tries, LONG, "--resume"));
        assertThat(last.code()).as(last.err()).isZero();
        assertSame("cut" + tries, before.resolve("whole.json"));
    }

    /** A run that saves no checkpoint before its end. */
    private List<String> unsaved(String name) throws IOException {
        var arguments = Shell.tiny(folder, name, LONG);
        arguments.addAll(List.of("--checkpoint", "1000"));
        return arguments;
    }

    @Test
    void control_c_saves_and_says_so_with_its_own_exit_code()
            throws IOException, InterruptedException {
        Assumptions.assumeTrue(Shell.interruptible(), "nobody hears Ctrl-C in the background");
        var log = folder.resolve("log.txt");
        var arguments = Shell.tiny(folder, "cut", 100_000);
        arguments.addAll(List.of("--checkpoint", "1000000"));
        var child = Shell.spawn(arguments, log);
        while (child.isAlive() && !Files.readString(log).contains("step 1/")) Thread.sleep(5);
        Shell.interrupt(child);
        assertThat(child.waitFor()).isEqualTo(130);
        assertThat(Files.readString(log)).contains("stopped after step", "--resume --out");
        assertThat(folder.resolve("cut/checkpoint.safetensors")).exists();
    }

    @Test
    void another_text_is_refused() throws IOException {
        begun();
        Files.writeString(folder.resolve("text.txt"), "another text altogether, and no less long");
        var result = Shell.run(arguments("run", BEGUN + 1, "--resume"));
        assertThat(result.code()).isEqualTo(1);
        assertThat(result.err()).contains("not the one the checkpoint was trained on");
    }
}
