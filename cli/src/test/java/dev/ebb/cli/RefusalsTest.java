package dev.ebb.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Wrong input is refused with a sentence that says what is wrong. */
final class RefusalsTest {
    @TempDir Path folder;

    private void train(String says, String... more) throws IOException {
        var arguments = Shell.tiny(folder, "x", 1);
        for (int i = 0; i < more.length; i += 2) {
            int there = arguments.indexOf(more[i]);
            if (there < 0) arguments.addAll(List.of(more[i], more[i + 1]));
            else arguments.set(there + 1, more[i + 1]);
        }
        said(1, says, arguments);
    }

    private static void said(int code, String says, List<String> arguments) {
        var result = Shell.run(arguments);
        assertThat(result.code()).as(arguments + result.err()).isEqualTo(code);
        assertThat(result.err()).contains(says).doesNotContain("\tat ");
        assertThat(result.err().lines().count()).as(result.err()).isLessThanOrEqualTo(4);
    }

    @Test
    void numbers() throws IOException {
        train("--threads must be positive, not 0", "--threads", "0");
        train("--threads 100000: at most 1024", "--threads", "100000");
        train("--steps must be positive, not 0", "--steps", "0");
        train("--batch must be positive, not -3", "--batch", "-3");
        train("--budget 64 means 64 bytes", "--budget", "64");
        said(2, "overflows a long", List.of("train", "--budget", "99999999999999999999"));
        said(2, "is not a budget", List.of("train", "--budget", "64 miles"));
        said(2, "--steps", List.of("train", "--steps", "many"));
        said(2, "--steps", List.of("train", "--steps", "99999999999999999999"));
        said(2, "train --help' explains", List.of("train", "--bugdet", "1GiB"));
        said(1, "--length must not be negative", List.of("generate", "--length", "-1"));
        said(1, "one token at least to draw among, not 0", List.of("generate", "--top", "0"));
        for (var command : List.of("plan", "curve", "explain", "memory"))
            said(1, "give a smaller --batch", List.of(command, "--batch", "1000000000"));
    }

    @Test
    void files() throws IOException {
        var text = folder.resolve("text.txt");
        train(folder + " is a folder", "--text", folder.toString());
        Files.delete(text);
        Files.writeString(text, "x");
        train("a text of 1 bytes is too short");
        Files.writeString(text, "");
        train("a text of 0 bytes is too short");
        train("there is no such folder", "--disk", folder.resolve("none").toString());
        train("there is no folder", "--json", folder.resolve("none/x.json").toString());
        var here = folder.toString();
        for (var command : List.of("plan", "curve"))
            said(1, "--json " + here + " is a folder", List.of(command, "--json", here));
        said(1, "--picture " + here + " is a folder", List.of("curve", "--picture", here));
        // none of these commands has started a run
        assertThat(folder.resolve("x")).doesNotExist();
    }

    @Test
    void graphs() throws IOException {
        var file = folder.resolve("größe.json");
        for (var command : List.of("plan", "curve", "explain")) {
            var arguments = new ArrayList<>(List.of(command, file.toString()));
            if (command.equals("plan")) arguments.add(1, "--graph");
            Files.deleteIfExists(file);
            said(1, file + ": there is no such file", arguments);
            Files.write(file, new byte[] {(byte) 0xff, 0, 1});
            said(1, file + ": not JSON: the file is not text", arguments);
            Files.writeString(file, "");
            said(1, file + ": not JSON", arguments);
            Files.writeString(file, "{}");
            said(1, file + ": the graph has no \"links\"", arguments);
        }
    }

    @Test
    void a_run_that_does_not_fit_leaves_no_folder() throws IOException {
        train("is too small", "--budget", "65536");
        assertThat(folder.resolve("x")).doesNotExist();
        var notes = Files.createDirectory(folder.resolve("x")).resolve("notes.txt");
        Files.writeString(notes, "mine");
        train("is too small", "--budget", "65536");
        assertThat(notes).hasContent("mine");
    }

    @Test
    void output_that_is_cut_short_is_no_success() throws Exception {
        var full = Path.of("/dev/full");
        assumeTrue(Files.exists(full));
        assertThat(Shell.spawn(List.of("devices"), full).waitFor()).isEqualTo(1);
    }

    @Test
    void a_heap_that_is_full_is_no_stack_trace() throws Exception {
        var log = folder.resolve("log");
        var arguments = List.of("plan", "--no-cache", "--batch", "1000000");
        assertThat(Shell.spawn(Shell.quick("-Xmx128m"), arguments, log).waitFor()).isEqualTo(1);
        assertThat(log).content().contains("the Java heap is full").doesNotContain("\tat ");
    }
}
