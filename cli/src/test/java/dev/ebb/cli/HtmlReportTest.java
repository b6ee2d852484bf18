package dev.ebb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Assumptions;
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
import java.util.concurrent.TimeUnit;

final class HtmlReportTest {
    @TempDir Path folder;

    private Path report() throws IOException {
        var result = Shell.run(Shell.tiny(folder, "run", 3));
        assertThat(result.code()).as(result.err()).isZero();
        return folder.resolve("run/report.html");
    }

    @Test
    void the_page_needs_nothing_but_itself() throws IOException {
        var page = Files.readString(report());
        assertThat(page)
                .doesNotContain("{{")
                .doesNotContain(" src=")
                .doesNotContain("<link")
                .doesNotContain("@import")
                .contains("prefers-color-scheme: dark", "name=\"viewport\"", "uPlot");
    }

    @Test
    void a_browser_draws_it() throws IOException, InterruptedException {
        var browser = browser();
        Assumptions.assumeTrue(
                browser.isPresent(),
                "no chromium on the PATH: the page was not tried in a browser");
        var report = report().toUri().toString();
        for (var size : List.of("1280,900", "500,900")) {
            var page = drawn(browser.orElseThrow(), report, "--window-size=" + size);
            assertThat(page)
                    .as(size)
                    .contains("data-ready=\"true\"", "<td class=\"n\">")
                    .contains("data-fits=\"true\"");
            assertThat(page.split("<canvas", -1)).as("three charts").hasSize(4);
        }
    }

    @Test
    void with_a_disk_a_browser_draws_a_line_for_what_it_adds()
            throws IOException, InterruptedException {
        var browser = browser();
        Assumptions.assumeTrue(
                browser.isPresent(),
                "no chromium on the PATH: the page was not tried in a browser");
        var arguments = Shell.tiny(folder, "run", 3);
        var room = Files.createDirectory(folder.resolve("room")).toString();
        arguments.addAll(List.of("--disk", room, "--disk-room", "8MiB"));
        var result = Shell.run(arguments);
        assertThat(result.code()).as(result.err()).isZero();
        var report = folder.resolve("run/report.html").toUri().toString();
        var page = drawn(browser.orElseThrow(), report, "--window-size=1280,900");
        assertThat(page)
                .contains("data-ready=\"true\"", "data-fits=\"true\"")
                .contains(">recompute<", ">recompute + disk<", ">this run<");
    }

    private static String drawn(String browser, String page, String... more)
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
        command.addAll(List.of("--dump-dom", page));
        var process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return text;
    }

    @Test
    void what_was_measured_is_what_was_promised_at_every_step() throws IOException {
        var page = Files.readString(report());
        var start = page.indexOf("id=\"data\">") + "id=\"data\">".length();
        var tide =
                Shell.parsed(page.substring(start, page.indexOf("</script>", start)))
                        .at("tide")
                        .orElseThrow();
        var held = tide.at("held").orElseThrow().elements();
        var rows = tide.at("bytes").orElseThrow().elements();
        assertThat(held).hasSameSizeAs(rows.getFirst().elements()).isNotEmpty();
        for (int i = 0; i < held.size(); i++) {
            long promised = 0;
            for (var row : rows) promised += row.elements().get(i).whole().orElseThrow();
            assertThat(held.get(i).whole().orElseThrow()).as("step %d", i).isEqualTo(promised);
        }
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
