package dev.ebb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.cli.option.CacheArgument;
import dev.ebb.cli.studio.Browser;
import dev.ebb.cli.studio.StudioFolder;
import dev.ebb.cli.studio.StudioServer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Runs in a browser: a checkpoint is planned for as the command plans it, and a screen reader can
 * use the page and a report.
 */
class StudioRunsTest {
    private static final String FILE = "first/checkpoint.safetensors";

    @TempDir static Path folder;
    @TempDir static Path profile;

    private static StudioServer server;
    private static Browser browser;

    @BeforeAll
    static void open() throws Exception {
        var program = Browser.find();
        Assumptions.assumeTrue(
                program.isPresent(), "no chromium on the PATH: the page was not tried");
        var trained = Shell.run(Shell.tiny(folder, "first", 2));
        assertThat(trained.code()).as(trained.err()).isZero();
        var models = new StudioPlanning(new CacheArgument().cache(), new StudioFolder(folder));
        server = new StudioServer(0, folder, "1x16x2", models, new StudioTraining());
        browser = new Browser(program.get(), profile);
        browser.look(1280, 1000, false);
        browser.open(server.address());
    }

    @AfterAll
    static void close() throws Exception {
        if (browser != null) browser.close();
        if (server != null) server.close();
    }

    /**
     * The lines of the plan as {@code ebb plan} prints them; the smallest budget may appear later.
     */
    private static List<String> shown() throws Exception {
        return browser
                .eval(
                        "[...document.querySelectorAll('#figures dd')].map(d =>"
                                + " d.previousElementSibling.textContent.padEnd(13) + ' ' +"
                                + " d.textContent)")
                .elements()
                .stream()
                .map(line -> line.text().orElseThrow())
                .filter(line -> !line.startsWith("least budget"))
                .toList();
    }

    @Test
    void a_checkpoint_is_planned_for_as_the_command_does() throws Exception {
        browser.eval("location.hash = 'runs'");
        browser.await("document.querySelector('#plan-it')");
        assertThat(browser.text("document.querySelector('#digest').dataset.digest"))
                .as("the figures of a run that another process made")
                .isEqualTo(Shell.digest(folder.resolve("first.json")));
        browser.eval("document.querySelector('#plan-it').click()");
        browser.await("document.getElementById('checkpoints').value === '" + FILE + "'");
        browser.await("document.getElementById('command').textContent.includes('" + FILE + "')");
        assertThat(browser.text("document.getElementById('command').textContent"))
                .contains("--from " + FILE + " --batch 2 --context 16 --budget ");
        browser.eval(
                "(() => { const b = document.getElementById('budget'); b.value = '100%';"
                        + " b.dispatchEvent(new Event('change')); })()");
        browser.await("document.getElementById('said').textContent.includes('time 1.0000')");
        browser.await("!document.getElementById('waiting')");
        var file = folder.resolve(FILE).toString();
        var printed = Shell.run("plan", "--from", file, "--budget", "100%");
        assertThat(printed.code()).as(printed.err()).isZero();
        assertThat(shown())
                .containsExactlyElementsOf(
                        printed.out().lines().filter(l -> !l.startsWith("least")).toList());

        browser.eval("location.hash = 'runs'");
        browser.await("document.querySelector('#begin-from option[value=\"" + FILE + "\"]')");
        assertThat(browser.errors()).isEmpty();
    }

    /**
     * While another model is being traced there is no plan, so a table that is drawn then is empty.
     */
    @Test
    void tables_are_drawn_while_another_model_is_traced() throws Exception {
        browser.eval("location.hash = 'plan'");
        browser.await("document.documentElement.dataset.curve === 'done'");
        browser.eval(
                """
                (() => {
                  const table = document.querySelector('#schedule .window');
                  window.drawing = setInterval(() => table.dispatchEvent(new Event('scroll')), 1);
                  document.getElementById('show-schedule').click();
                  const batch = document.querySelector('#choices [name=batch]');
                  batch.value = '3';
                  batch.dispatchEvent(new Event('change', { bubbles: true }));
                })()
                """);
        browser.await("document.getElementById('command').textContent.includes('--batch 3 ')");
        browser.await("document.documentElement.dataset.curve === 'done'");
        browser.eval("clearInterval(window.drawing)");
        browser.await("document.querySelector('#schedule .row')");
        assertThat(browser.errors()).isEmpty();
        browser.open(server.address());
    }

    private static String heard() throws Exception {
        return browser.heard().stream()
                .map(h -> h.role() + ": " + h.name())
                .collect(Collectors.joining("\n"));
    }

    @Test
    void a_screen_reader_finds_headings_tables_and_what_changes() throws Exception {
        browser.eval("location.hash = 'plan'");
        browser.await("!document.getElementById('plan').hidden");
        assertThat(heard())
                .contains("heading: Ebb studio", "heading: Time over budget", "navigation: Views")
                .contains("combobox: Checkpoint", "grid: Values", "main: ", "status: ");
        browser.open(folder.resolve("first/report.html").toUri());
        assertThat(browser.unnamed()).isEmpty();
        assertThat(heard())
                .contains("heading: Where the memory went", "heading: Kernels by time")
                .contains("table: The largest values, what happened to each, and why")
                .contains("table: Peak bytes of each category", "columnheader: bytes")
                .contains("image: ", "status: ");
        browser.open(server.address());
    }
}
