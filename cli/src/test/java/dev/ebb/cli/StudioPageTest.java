package dev.ebb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.cli.option.CacheArgument;
import dev.ebb.cli.studio.Browser;
import dev.ebb.cli.studio.StudioFolder;
import dev.ebb.cli.studio.StudioServer;
import dev.ebb.nn.file.Json;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The studio's page in a browser shows the figures that the commands print, and trains as they do.
 */
class StudioPageTest {
    private static final String MODEL = "2x16x2";

    @TempDir static Path folder;
    @TempDir static Path profile;

    private static StudioServer server;
    private static Browser browser;

    @BeforeAll
    static void open() throws Exception {
        var program = Browser.find();
        Assumptions.assumeTrue(
                program.isPresent(), "no chromium on the PATH: the page was not tried");
        Files.writeString(folder.resolve("text.txt"), "the tide comes, the tide goes. ".repeat(40));
        Files.writeString(folder.resolve("graph.json"), chain());
        var models = new StudioPlanning(new CacheArgument().cache(), new StudioFolder(folder));
        server = new StudioServer(0, folder, MODEL, models, new StudioTraining());
        server.prepare();
        browser = new Browser(program.get(), profile);
        browser.look(1280, 1000, false);
        browser.open(server.address());
        browser.await("document.documentElement.dataset.curve === 'done'");
    }

    /** A bare graph whose later nodes read earlier ones again. */
    private static String chain() {
        var nodes = new ArrayList<String>();
        var links = new ArrayList<String>();
        for (int i = 0; i < 24; i++) {
            nodes.add("{\"id\": " + i + ", \"cost_cpu\": 1, \"cost_ram\": 4096}");
            if (i > 0) links.add("{\"source\": " + (i - 1) + ", \"target\": " + i + "}");
            if (i > 12) links.add("{\"source\": " + (24 - i) + ", \"target\": " + i + "}");
        }
        return "{\"nodes\": " + nodes + ", \"links\": " + links + "}";
    }

    @BeforeEach
    void plan() throws Exception {
        browser.look(1280, 1000, false);
        browser.eval("location.hash = 'plan'");
        browser.await("!document.getElementById('plan').hidden");
    }

    @AfterAll
    static void close() throws Exception {
        if (browser != null) browser.close();
        if (server != null) server.close();
    }

    /** The middle of an element, to the right and down. */
    private double[] middle(String selector) throws Exception {
        var box =
                browser.eval(
                        "(() => { const r = document.querySelector('"
                                + selector
                                + "').getBoundingClientRect();"
                                + " return [r.left + r.width / 2, r.top + r.height / 2]; })()");
        var at = box.elements();
        return new double[] {at.get(0).number().orElseThrow(), at.get(1).number().orElseThrow()};
    }

    /** Drags the budget's handle to the right by this many pixels, in small steps. */
    private void drag(double right) throws Exception {
        var at = middle(".handle circle");
        browser.mouse("mousePressed", at[0], at[1]);
        for (int i = 1; i <= 5; i++) browser.mouse("mouseMoved", at[0] + right * i / 5, at[1]);
        browser.mouse("mouseReleased", at[0] + right, at[1]);
        browser.await(
                "document.documentElement.dataset.plan"
                        + " === document.querySelector('.handle').getAttribute('aria-valuenow')");
    }

    private List<String> shown() throws Exception {
        var lines = new ArrayList<String>();
        for (var line :
                browser.eval(
                                "[...document.querySelectorAll('#figures dd')].map(d =>"
                                        + " [d.previousElementSibling.textContent, d.textContent])")
                        .elements()) {
            var pair = line.elements();
            lines.add(
                    "%-13s %s"
                            .formatted(
                                    pair.get(0).text().orElseThrow(),
                                    pair.get(1).text().orElseThrow()));
        }
        return lines;
    }

    private String budget() throws Exception {
        return browser.text("document.documentElement.dataset.plan");
    }

    @Test
    void a_budget_dragged_to_shows_what_plan_prints_there() throws Exception {
        var budgets = new ArrayList<String>();
        for (double right : new double[] {-90, 140, -230}) {
            drag(right);
            budgets.add(budget());
            var printed = Shell.run("plan", "--model", MODEL, "--budget", budget());
            assertThat(printed.code()).as(printed.err()).isZero();
            assertThat(shown()).containsExactlyElementsOf(printed.out().lines().toList());
        }
        assertThat(budgets).doesNotHaveDuplicates();
        browser.eval("document.querySelector('.handle').focus()");
        browser.key("ArrowRight");
        browser.await("document.documentElement.dataset.plan !== '" + budgets.getLast() + "'");
        assertThat(Long.parseLong(budget())).isGreaterThan(Long.parseLong(budgets.getLast()));
        assertThat(browser.errors()).isEmpty();
    }

    @Test
    void the_highest_point_is_the_value_that_explain_names() throws Exception {
        drag(-120);
        browser.eval("document.querySelector('#values .row').click()");
        browser.await("document.querySelector('#why-name')");
        var other = browser.text("document.querySelector('#why-name').dataset.value");
        var at = middle("#highest");
        browser.click(at[0], at[1]);
        var explained = Shell.run("explain", "--model", MODEL, "--budget", budget()).out();
        var named = Pattern.compile("(?m)^peak at .*which writes (%\\d+)$").matcher(explained);
        assertThat(named.find()).as(explained).isTrue();
        assertThat(named.group(1)).isNotEqualTo(other);
        browser.await(
                "document.querySelector('#why-name').dataset.value === '" + named.group(1) + "'");
        assertThat(browser.text("document.querySelector('#values .row.chosen').textContent"))
                .startsWith(named.group(1));
        browser.eval("document.getElementById('show-schedule').click()");
        browser.await("document.querySelector('#schedule .row.chosen')");
        assertThat(browser.text("document.querySelector('#schedule .row.chosen').textContent"))
                .contains(named.group(1));
        browser.await("document.querySelector('#why .chosen')");
        assertThat(browser.errors()).isEmpty();
    }

    @Test
    void a_run_started_stopped_and_resumed_ends_as_the_command_line_s() throws Exception {
        browser.eval("location.hash = 'runs'");
        browser.await("document.querySelector('#texts option[value=\"text.txt\"]')");
        browser.eval(
                "(() => { const f = document.getElementById('start').elements; f.name.value ="
                        + " 'here'; f.model.value = '1x16x2'; f.context.value = 16; f.batch.value ="
                        + " 2; f.steps.value = 1200; f.text.value = 'text.txt'; f.holdOut.checked ="
                        + " false; document.querySelector('#start button').click(); })()");
        browser.await(
                "document.querySelector('#stop') &&"
                    + " /^[1-9]/.test(document.querySelector('[data-figure=step]').textContent)");
        browser.eval("document.querySelector('#stop').click()");
        browser.await("document.documentElement.dataset.run === 'here stopped'");
        var reached = browser.text("document.querySelector('[data-figure=step]').textContent");
        assertThat(reached).endsWith("/ 1200").doesNotStartWith("1200 ");
        browser.await(
                "document.querySelector('#resume') && !document.querySelector('#resume').disabled");
        browser.eval("document.querySelector('#resume').click()");
        browser.await("document.documentElement.dataset.run === 'here finished'");
        browser.await("document.querySelector('#digest')");
        var arguments = Shell.tiny(folder, "there", 1200);
        var trained = Shell.run(arguments);
        assertThat(trained.code()).as(trained.err()).isZero();
        assertThat(browser.text("document.querySelector('#digest').dataset.digest"))
                .isEqualTo(Shell.digest(folder.resolve("there.json")));
        browser.eval("location.hash = 'plan'");
        browser.eval("location.hash = 'runs'");
        browser.await("document.querySelector('[aria-label=\"compare there\"]')");
        browser.eval("document.querySelector('[aria-label=\"compare there\"]').click()");
        browser.await("document.querySelector('#compared .badge')");
        assertThat(browser.text("document.querySelector('#compared .badge').textContent"))
                .isEqualTo("same bits in all 1200 steps");
        assertThat(browser.text("document.querySelector('#compared').textContent"))
                .contains("memory promised", "tokens/s");
        assertThat(browser.errors()).isEmpty();
    }

    private void choose(String graph) throws Exception {
        browser.eval(
                "(() => { const s = document.getElementById('graphs'); s.value = '"
                        + graph
                        + "'; s.dispatchEvent(new Event('change', { bubbles: true })); })()");
        browser.await("document.documentElement.dataset.curve === 'done'");
    }

    @Test
    void a_graph_file_is_planned_as_the_command_does() throws Exception {
        choose("graph.json");
        drag(-150);
        var file = folder.resolve("graph.json").toString();
        var printed = Shell.run("plan", "--graph", file, "--budget", budget());
        assertThat(printed.code()).as(printed.err()).isZero();
        var lines =
                printed.out()
                        .lines()
                        .map(
                                l ->
                                        "%-13s %s"
                                                .formatted(
                                                        l.substring(0, 13).strip(),
                                                        l.substring(13)));
        assertThat(shown()).containsExactlyElementsOf(lines.toList());
        choose("");
        assertThat(browser.errors()).isEmpty();
    }

    @Test
    void hostile_names_are_shown_as_text() throws Exception {
        var name = "<img src=x onerror=document.title=1>";
        Files.writeString(
                Files.createDirectory(folder.resolve(name)).resolve("checkpoint.safetensors"), "x");
        browser.eval("location.hash = 'runs'");
        browser.await(
                "[...document.querySelectorAll('.runrow b')].some(b => b.textContent === '"
                        + name
                        + "')");
        assertThat(browser.eval("document.querySelectorAll('#run-list img').length"))
                .isEqualTo(Json.of(0));
        assertThat(browser.text("document.title")).isEqualTo("Ebb studio");
    }

    /** Of an unfolded graph of 5,000 nodes in 50 regions, only the visible part is drawn. */
    @Test
    void of_a_large_graph_only_what_is_in_sight_is_drawn() throws Exception {
        var drawn =
                browser.eval(
                                """
                                (async () => {
                                  const { graphView } = await import("/graph.js");
                                  const host = document.createElement("div");
                                  document.body.append(host);
                                  let picked = -1, texts = 0;
                                  const view = graphView(host, { fate: () => "kept", onSelect: v => { picked = v; } });
                                  const nodes = [], values = [], regions = [];
                                  for (let r = 0; r < 50; r++) regions.push("block " + r);
                                  for (let n = 0; n < 5000; n++) {
                                    nodes.push(["op", n % 50, n % 2, n ? [n - 1] : [], [n]]);
                                    values.push(["%" + n, "op", "f32[4]", 16, 3, n]);
                                  }
                                  view.load({ nodes, values, regions });
                                  [...host.querySelectorAll("button")].find(b => b.textContent === "Unfold all").click();
                                  const frame = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
                                  await frame();
                                  const plain = CanvasRenderingContext2D.prototype.fillText;
                                  CanvasRenderingContext2D.prototype.fillText = function (...a) { texts++; return plain.apply(this, a); };
                                  const box = host.querySelector(".graph"), scrolled = box.scrollHeight;
                                  let most = 0;
                                  for (let i = 0; i < 10; i++) { texts = 0; box.scrollTop = i * scrolled / 10; await frame(); most = Math.max(most, texts); }
                                  view.select(4321);
                                  await frame();
                                  CanvasRenderingContext2D.prototype.fillText = plain;
                                  const seen = box.scrollTop;
                                  host.remove();
                                  return [most, scrolled, seen];
                                })()
                                """)
                        .elements();
        assertThat(drawn.get(0).number().orElseThrow())
                .as("texts in one frame")
                .isBetween(20.0, 700.0);
        assertThat(drawn.get(1).number().orElseThrow()).as("pixels in all").isGreaterThan(10_000);
        assertThat(drawn.get(2).number().orElseThrow()).as("scrolled to").isPositive();
    }

    @Test
    void it_is_used_by_keyboard_and_screen_reader() throws Exception {
        for (var view : List.of("plan", "drivers", "runs")) {
            browser.eval("location.hash = '" + view + "'");
            browser.await("!document.getElementById('" + view + "').hidden");
            assertThat(browser.unnamed()).as("without a name in " + view).isEmpty();
            // each focusable element gets a number, then Tab goes through the page and collects
            // them
            double controls =
                    browser.number(
                            """
                            (() => {
                              const all = [...document.querySelectorAll("a[href], button, input, select, [tabindex='0']")]
                                .filter(e => e.tabIndex >= 0 && !e.disabled && e.getClientRects().length);
                              all.forEach((e, i) => { e.dataset.control = i; });
                              document.activeElement.blur();
                              return all.length;
                            })()
                            """);
            var reached = new TreeSet<String>();
            for (int i = 0; i < controls + 5; i++) {
                browser.key("Tab");
                reached.add(browser.text("document.activeElement.dataset.control || ''"));
            }
            reached.remove("");
            assertThat(reached).as("reached by Tab in " + view).hasSize((int) controls);
            browser.eval(
                    "document.querySelectorAll('[data-control]').forEach(e => delete"
                            + " e.dataset.control)");
        }
        assertThat(browser.errors()).isEmpty();
    }

    @Test
    void adapters_take_less_than_the_whole_model() throws Exception {
        browser.eval("location.hash = 'drivers'");
        var shown = "document.querySelector('#bars .stack')?.getAttribute('aria-label') || ''";
        browser.await("(" + shown + ").startsWith('training')");
        var whole = browser.text(shown);
        browser.eval(
                "(() => { const s = document.querySelector('#sliders [name=trained]');"
                        + " s.value = 'adapters'; s.dispatchEvent(new Event('change')); })()");
        browser.await("(" + shown + ").startsWith('fine-tuning')");
        assertThat(mebibytes(browser.text(shown))).isLessThan(mebibytes(whole));
        assertThat(browser.errors()).isEmpty();
    }

    private static double mebibytes(String text) {
        var number = Pattern.compile("([\\d.]+) MiB$").matcher(text);
        assertThat(number.find()).as(text).isTrue();
        return Double.parseDouble(number.group(1));
    }

    @Test
    void nothing_jumps_while_it_loads_and_while_the_budget_is_dragged() throws Exception {
        browser.open(server.address());
        browser.await("document.documentElement.dataset.curve === 'done'");
        assertThat(browser.layoutShift())
                .as("layout shift while it loads, of the window")
                .isLessThan(0.02);
        var panels = "#plan .panel, #plan .chart, #plan .choices, #plan .head";
        var before = browser.corners(panels);
        assertThat(before).hasSizeGreaterThan(8);
        for (double right : new double[] {-60, 110, -170}) {
            drag(right);
            assertThat(browser.corners(panels)).as("after a drag by " + right).isEqualTo(before);
        }
    }

    /** Screenshots for a visual check: desktop and phone, in light and dark colours. */
    @Test
    void pictures_of_all_views() throws Exception {
        var to = Files.createDirectories(Path.of("target", "studio"));
        for (boolean dark : new boolean[] {false, true}) {
            for (int width : new int[] {390, 1280}) {
                browser.look(width, width == 390 ? 844 : 1000, dark);
                for (var view : List.of("plan", "drivers", "runs")) {
                    browser.eval("location.hash = '" + view + "'");
                    browser.await("!document.getElementById('" + view + "').hidden");
                    browser.eval(
                            "new Promise(done => requestAnimationFrame(() =>"
                                    + " requestAnimationFrame(done)))");
                    var name = view + "-" + width + (dark ? "-dark" : "-light") + ".png";
                    var picture = browser.picture(width == 390);
                    Files.write(to.resolve(name), picture);
                    assertThat(picture).as(name).hasSizeGreaterThan(4000);
                }
            }
        }
    }

    @Test
    void it_fits_a_phone_and_a_desk() throws Exception {
        for (int width : new int[] {360, 800, 1280}) {
            browser.look(width, 800, width == 800);
            for (var view : List.of("plan", "drivers", "runs")) {
                browser.eval("location.hash = '" + view + "'");
                browser.await("!document.getElementById('" + view + "').hidden");
                assertThat(
                                browser.eval(
                                        "document.documentElement.scrollWidth <="
                                                + " document.documentElement.clientWidth"))
                        .as(view + " at " + width)
                        .isEqualTo(Json.of(true));
            }
        }
        assertThat(browser.errors()).isEmpty();
    }
}
