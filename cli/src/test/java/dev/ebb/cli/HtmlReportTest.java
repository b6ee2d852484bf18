package dev.ebb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.cli.studio.Browser;
import dev.ebb.nn.file.Json;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

final class HtmlReportTest {
    /** The number of a step that frees a value. */
    private static final int FREE = 2;

    @TempDir static Path folder;

    /** The report of a run, shared by all tests but one. */
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
    void a_browser_draws_it() throws Exception {
        for (int width : new int[] {1280, 500}) {
            var page = drawn(report, width);
            assertThat(page).as("%d", width).contains("<td class=\"n\"", "data-fits=\"true\"");
            assertThat(page).contains("step of the schedule", ">budget<", "nats a character");
            assertThat(page.split("<path d=\"M", -1)).as("curve and loss").hasSizeGreaterThan(2);
        }
    }

    @Test
    void with_a_disk_a_browser_draws_a_line_for_what_it_adds() throws Exception {
        var arguments = Shell.tiny(folder, "disk", 3);
        var room = Files.createDirectory(folder.resolve("room")).toString();
        arguments.addAll(List.of("--disk", room, "--disk-room", "8MiB"));
        var result = Shell.run(arguments);
        assertThat(result.code()).as(result.err()).isZero();
        assertThat(drawn(folder.resolve("disk/report.html"), 1280))
                .contains("data-fits=\"true\"")
                .contains(">recompute, from ", ">recompute + disk, from ");
    }

    /** The page in a browser after its scripts have drawn it. */
    private static String drawn(Path page, int width) throws Exception {
        var program = Browser.find();
        Assumptions.assumeTrue(
                program.isPresent(),
                "no chromium on the PATH: the page was not tried in a browser");
        var profile = Files.createTempDirectory(folder, "profile");
        try (var browser = new Browser(program.get(), profile)) {
            browser.look(width, 900, false);
            browser.open(page.toUri());
            assertThat(browser.errors()).isEmpty();
            return browser.text("document.documentElement.outerHTML");
        }
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
}
