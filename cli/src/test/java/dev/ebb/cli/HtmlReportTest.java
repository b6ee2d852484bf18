package dev.ebb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.nn.file.Json;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

final class HtmlReportTest {
    /** The number of a step that frees a value. */
    private static final int FREE = 2;

    @TempDir static Path folder;

    /** The report of a run that all tests but one look at. */
    private static Path report;

    @BeforeAll
    static void train() throws IOException {
        var result = Shell.run(Shell.tiny(folder, "run", 3));
        assertThat(result.code()).as(result.err()).isZero();
        report = folder.resolve("run/report.html");
    }

    @Test
    void the_page_needs_nothing_but_itself() throws IOException {
        var page = Files.readString(report);
        assertThat(page)
                .doesNotContain("{{")
                .doesNotContain(" src=")
                .doesNotContain("<link")
                .doesNotContain("@import")
                .contains("prefers-color-scheme: dark", "name=\"viewport\"", "@media print")
                .contains("GPT: 1 layers, width 16, 2 heads", "train --model 1x16x2", "Java 25");
    }

    @Test
    void a_browser_draws_it() throws IOException, InterruptedException {
        var browser = browser();
        Assumptions.assumeTrue(
                browser.isPresent(),
                "no chromium on the PATH: the page was not tried in a browser");
        for (var size : List.of("1280,900", "500,900")) {
            var page = drawn(browser.orElseThrow(), report, "--window-size=" + size);
            assertThat(page)
                    .as(size)
                    .contains("data-ready=\"true\"", "<td class=\"n\"")
                    .contains("data-fits=\"true\"");
            assertThat(page).contains("step of the schedule", ">budget<", "nats a character");
            assertThat(page.split("<path d=\"M", -1)).as("curve and loss").hasSizeGreaterThan(2);
        }
    }

    @Test
    void with_a_disk_a_browser_draws_a_line_for_what_it_adds()
            throws IOException, InterruptedException {
        var browser = browser();
        Assumptions.assumeTrue(
                browser.isPresent(),
                "no chromium on the PATH: the page was not tried in a browser");
        var arguments = Shell.tiny(folder, "disk", 3);
        var room = Files.createDirectory(folder.resolve("room")).toString();
        arguments.addAll(List.of("--disk", room, "--disk-room", "8MiB"));
        var result = Shell.run(arguments);
        assertThat(result.code()).as(result.err()).isZero();
        var onDisk = folder.resolve("disk/report.html");
        var page = drawn(browser.orElseThrow(), onDisk, "--window-size=1280,900");
        assertThat(page)
                .contains("data-ready=\"true\"", "data-fits=\"true\"")
                .contains(">recompute, from ", ">recompute + disk, from ");
    }

    private static String drawn(String browser, Path page, String... more)
            throws IOException, InterruptedException {
        var command =
                new ArrayList<>(
                        List.of(
                                browser,
                                "--headless",
                                "--no-sandbox",
                                "--disable-gpu",
                                "--virtual-time-budget=5000"));
        command.addAll(List.of(more));
        command.addAll(List.of("--dump-dom", page.toUri().toString()));
        var process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return text;
    }

    @Test
    void what_was_measured_is_what_was_promised_at_every_step() throws IOException {
        var page = Files.readString(report);
        var start = page.indexOf("id=\"data\">") + "id=\"data\">".length();
        var plan =
                Shell.parsed(page.substring(start, page.indexOf("</script>", start)))
                        .at("plan")
                        .orElseThrow();
        var held = numbers(plan, "held");
        var steps = numbers(plan, "steps");
        var stays = numbers(plan, "stays");
        long own = plan.at("own").flatMap(Json::whole).orElseThrow();
        int counted = 0;
        for (int t = 0; t < steps.length / 2; t++) {
            if (steps[2 * t] == FREE) continue;
            long promised = own;
            for (int i = 0; i < stays.length; i += 4)
                if (stays[i + 1] <= t && t < stays[i + 2]) promised += stays[i + 3];
            assertThat(held[counted++]).as("step %d", t).isEqualTo(promised);
        }
        assertThat(held).hasSize(counted).isNotEmpty();
    }

    private static long[] numbers(Json json, String name) {
        return json.at(name).orElseThrow().elements().stream()
                .mapToLong(n -> n.whole().orElseThrow())
                .toArray();
    }

    private static Optional<String> browser() {
        var folders =
                Optional.ofNullable(System.getenv("PATH")).orElse("").split(File.pathSeparator, -1);
        return List.of("chromium", "chromium-browser", "google-chrome").stream()
                .flatMap(name -> Arrays.stream(folders).map(f -> Path.of(f, name)))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst();
    }
}
