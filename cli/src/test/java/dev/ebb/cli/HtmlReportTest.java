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
        var process =
                new ProcessBuilder(
                                browser.orElseThrow(),
                                "--headless",
                                "--no-sandbox",
                                "--disable-gpu",
                                "--virtual-time-budget=5000",
                                "--dump-dom",
                                report().toUri().toString())
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        var page = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(page).contains("data-ready=\"true\"");
        assertThat(page.split("<canvas", -1)).as("three charts").hasSize(4);
        assertThat(page).contains("<td class=\"n\">");
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
