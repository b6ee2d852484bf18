package dev.ebb.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.cli.option.Refusal;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A folder belongs to one run at a time. */
final class RunFolderTest {
    private static final int ENDLESS = 1_000_000;

    @TempDir Path folder;

    @Test
    void of_two_runs_that_begin_in_a_folder_the_second_is_refused()
            throws IOException, InterruptedException {
        var log = folder.resolve("log.txt");
        var run = new RunFolder(folder.resolve("run"));
        var first = Shell.tiny(folder, "run", ENDLESS);
        first.addAll(List.of("--checkpoint", String.valueOf(ENDLESS)));
        var child = Shell.spawn(first, log);
        try {
            // the text is written after the run has locked the folder
            while (child.isAlive() && !Files.exists(run.sources())) Thread.sleep(5);
            var second = Shell.run(Shell.tiny(folder, "run", 2));
            assertThat(second.code()).as(Files.readString(log)).isEqualTo(1);
            assertThat(second.err())
                    .contains("another run is going on in " + run.path(), "--out")
                    .doesNotContain("\tat ");
            assertThat(run.sources()).exists();
        } finally {
            child.destroyForcibly();
            child.waitFor();
        }
        // a killed process holds no lock
        var third = Shell.run(Shell.tiny(folder, "run", 2));
        assertThat(third.code()).as(third.err()).isZero();
    }

    @Test
    void a_process_has_a_folder_once() throws IOException {
        var run = new RunFolder(folder.resolve("run"));
        assertThat(run.create()).isTrue();
        try (var _ = run.lock()) {
            for (int twice = 0; twice < 2; twice++)
                assertThatThrownBy(() -> new RunFolder(folder.resolve("./run")).lock())
                        .isInstanceOf(Refusal.class)
                        .hasMessageContaining("another run is going on");
        }
        try (var _ = run.lock()) {
            assertThat(run.isUsed()).isFalse();
        }
        assertThat(run.path()).isEmptyDirectory();
    }

    @Test
    void a_run_that_is_refused_leaves_an_empty_folder_as_it_was() throws IOException {
        var empty = Files.createDirectory(folder.resolve("run"));
        var arguments = Shell.tiny(folder, "run", 2);
        arguments.addAll(List.of("--text", folder.resolve("nothing.txt").toString()));
        assertThat(Shell.run(arguments).code()).isNotZero();
        assertThat(empty).isEmptyDirectory();
    }
}
