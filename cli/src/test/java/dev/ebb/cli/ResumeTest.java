package dev.ebb.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** A run that is stopped and goes on ends in the same bits as one that was not. */
final class ResumeTest {
    private static final int STEPS = 30;
    private static final int LONG = 400;
    private static final int KILLS = 10;

    @TempDir Path folder;

    private List<String> arguments(String name, String... more) throws IOException {
        return arguments(name, STEPS, more);
    }

    private List<String> arguments(String name, int steps, String... more) throws IOException {
        var arguments = Shell.tiny(folder, name, steps);
        arguments.addAll(List.of("--checkpoint", "1"));
        arguments.addAll(List.of(more));
        return arguments;
    }

    @Test
    void killed_at_ten_random_moments_it_goes_on_bit_for_bit()
            throws IOException, InterruptedException {
        assertThat(Shell.run(arguments("whole", LONG)).code()).isZero();
        var random = new Random(7);
        var log = folder.resolve("log.txt");
        var checkpoint = folder.resolve("cut/checkpoint.safetensors");
        for (int i = 0; i < KILLS; i++) {
            boolean begun = Files.exists(checkpoint);
            var child =
                    Shell.spawn(
                            begun ? arguments("cut", LONG, "--resume") : arguments("cut", LONG),
                            log);
            if (i % 2 == 0) {
                // some steps after the first checkpoint of this process
                awaitChange(child, checkpoint);
                child.waitFor(random.nextInt(60), TimeUnit.MILLISECONDS);
            } else {
                // whatever it is doing: starting, planning, reading, writing, training
                child.waitFor(random.nextInt(1500), TimeUnit.MILLISECONDS);
            }
            assertThat(child.isAlive()).as("kill %d hits it: %s", i, read(log)).isTrue();
            child.destroyForcibly().waitFor();
        }
        assertThat(checkpoint).exists();
        var last = Shell.run(arguments("cut", LONG, "--resume"));
        assertThat(last.code()).as(last.err()).isZero();
        assertThat(Shell.digest(folder.resolve("cut.json")))
                .isEqualTo(Shell.digest(folder.resolve("whole.json")));
        assertThat(Shell.json(folder.resolve("cut.json")).at("loss"))
                .isEqualTo(Shell.json(folder.resolve("whole.json")).at("loss"));
    }

    private static void awaitChange(Process child, Path file)
            throws IOException, InterruptedException {
        var before = Files.exists(file) ? Files.getLastModifiedTime(file).toMillis() : 0;
        while (child.isAlive()
                && !(Files.exists(file) && Files.getLastModifiedTime(file).toMillis() > before))
            Thread.sleep(5);
    }

    private static String read(Path log) throws IOException {
        return Files.readString(log);
    }

    @Test
    void a_corrupted_checkpoint_gives_way_to_the_one_before() throws IOException {
        assertThat(Shell.run(arguments("run")).code()).isZero();
        var run = new Folder(folder.resolve("run"));
        var good = Files.readAllBytes(run.checkpoint());
        for (int at : new int[] {good.length / 2, good.length - 3, 20}) {
            var bad = good.clone();
            bad[at] ^= 1;
            Files.write(run.checkpoint(), bad);
            var found = run.restore();
            assertThat(found.checkpoint().step()).isEqualTo(STEPS - 1);
            assertThat(found.remark()).contains("checkpoint.safetensors", "the one before");
        }
        var again = Shell.run(arguments("run", "--resume"));
        assertThat(again.code()).as(again.err()).isZero();
        assertThat(again.err()).contains("the one before");
        Files.write(run.checkpoint(), new byte[10]);
        Files.write(run.before(), new byte[10]);
        assertThatThrownBy(run::restore).isInstanceOf(Refusal.class).hasMessageContaining("--out");
    }

    @Test
    void another_text_is_refused() throws IOException {
        assertThat(Shell.run(arguments("run")).code()).isZero();
        Files.writeString(folder.resolve("text.txt"), "another text altogether, and no less long");
        var result = Shell.run(arguments("run", "--resume"));
        assertThat(result.code()).isEqualTo(1);
        assertThat(result.err()).contains("not the one the checkpoint was trained on");
    }
}
