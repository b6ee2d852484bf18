package dev.ebb.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

class FiguresTest {
    private static final Path PAGE = Path.of("README.md");

    @Test
    void a_benchmark_writes_between_its_markers_alone() {
        var page = new Figures("# A\n<!-- Tiny -->\nold\n<!-- end of Tiny -->\nafter\n");
        assertThat(page.of("Tiny")).contains("old\n");
        assertThat(page.of("Gemm")).isEmpty();
        var next = page.with("Tiny", "new 1\n");
        assertThat(next.page())
                .isEqualTo("# A\n<!-- Tiny -->\nnew 1\n<!-- end of Tiny -->\nafter\n");
        var more = next.with("Gemm", "x\n");
        assertThat(more.page())
                .isEqualTo(next.page() + "\n<!-- Gemm -->\nx\n<!-- end of Gemm -->\n");
        assertThat(more.with("Gemm", "y\n").of("Gemm")).contains("y\n");
    }

    /** What stands between the markers of a benchmark, or of {@code ./ebb bench cuda}. */
    private static final Pattern WRITTEN =
            Pattern.compile("<!-- (?!end of)(.+?) -->.*?<!-- end of \\1 -->", Pattern.DOTALL);

    /** A number with a unit of time, a rate or a share: a measurement, not a limit of the code. */
    private static final String MEASURED =
            "\\d (ns|us|ms|s|seconds|minutes|hours|GB/s|GFLOP/s|TFLOP/s)\\b";

    @Test
    void only_benchmarks_write_figures() throws IOException {
        var page = Files.readString(PAGE);
        for (var name : All.benchmarks().keySet())
            assertThat(new Figures(page).of(name)).as(name).isPresent();
        var measured = page.substring(page.indexOf("## Measured\n"));
        var rest = WRITTEN.matcher(measured).replaceAll("");
        assertThat(rest)
                .doesNotContainPattern(MEASURED)
                .doesNotContainPattern("\\d (KiB|MiB|GiB|%|times)\\b");
    }

    /** Figures of decisions are on the benches' page, where a benchmark writes them. */
    @Test
    void decisions_have_no_figures_of_their_own() throws IOException {
        try (var pages = Files.list(Path.of("..", "docs", "decisions"))) {
            for (var page : pages.toList())
                assertThat(Files.readString(page))
                        .as(page.toString())
                        .doesNotContainPattern(MEASURED);
        }
    }

    @Test
    void the_readme_repeats_the_page() throws IOException {
        var page = Files.readString(PAGE);
        var full = new CardRow(page, "GPT in f32, full");
        var budget = new CardRow(page, "GPT in f32, in 9.03 GiB");
        var half = new CardRow(page, "GPT in bf16, full");
        var pinned = new CardRow(page, "GPT in bf16, half of the least, pinned host memory");
        var least = new CardRow(page, "GPT in f32, least");
        var halfLeast = new CardRow(page, "GPT in bf16, least");
        assertThat(Files.readString(Path.of("..", "README.md")))
                .contains(full.text("TF32, %2$.1f GiB | %1$.0f ms | torch.compile %3$.0f ms |"))
                .contains(budget.text("in %2$.1f GiB | %1$.0f ms | torch.compile %3$.0f ms |"))
                .contains(half.text("bf16, %2$.1f GiB | %1$.0f ms | torch.compile %3$.0f ms |"))
                .contains(pinned.text("memory, %2$.1f GiB, with pinned host memory | %1$.0f ms |"))
                .contains(halfLeast.text("| the smallest memory alone %1$.0f ms |"))
                .contains(
                        least.text("TF32 and bf16 | %2$.1f and ")
                                + halfLeast.text("%2$.1f GiB | everything kept ")
                                + full.text("%2$.1f and ")
                                + half.text("%2$.1f GiB |"))
                .contains(
                        numbers(
                                page,
                                "GMM 10000 points, d 20, K 50: (\\S+) ms.*by hand (\\S+) ms",
                                "one thread | %.0f ms | hand-written Java %.0f ms |"))
                .contains(
                        numbers(
                                page,
                                "(?s)Rosenbrock 2, value and gradient, by hand: (\\S+) ns.*"
                                        + "Rosenbrock 2, value and gradient, doubles: (\\S+) ns",
                                "on doubles | %2$.1f ns | hand-written Java %1$.1f ns |"));
    }

    /** A row of the card's table. */
    private record CardRow(String page, String name) {
        /** With its milliseconds, GiB at the peak and PyTorch's milliseconds. */
        String text(String form) {
            var row = page.lines().filter(l -> l.startsWith("| " + name + " |")).findFirst();
            var cells = row.orElseThrow().split("\\|", -1);
            var peer = cells[5].strip().split(" ", -1)[0];
            return String.format(
                    Locale.ROOT,
                    form,
                    Double.valueOf(cells[2].strip()),
                    Double.valueOf(cells[3].strip()),
                    peer.isEmpty() ? Double.NaN : Double.valueOf(peer));
        }
    }

    private static String numbers(String page, String pattern, String form) {
        var found = Pattern.compile(pattern).matcher(page);
        assertThat(found.find()).as(pattern).isTrue();
        return String.format(
                Locale.ROOT, form, Double.valueOf(found.group(1)), Double.valueOf(found.group(2)));
    }

    @Test
    void figures_of_other_machines_stand_apart() {
        assertThat(All.place("Tiny", 2)).isEqualTo("Tiny");
        assertThat(All.place("Tiny", 16)).isEqualTo("Tiny on 16 processors");
    }

    @Test
    void numbers_stand_beside_those_before() {
        var before = List.of("step 0.25 s of 10", "gone 1", "twice 1", "twice 2");
        var after = List.of("step 0.5 s of 10", "twice 3", "twice 2", "fresh 7");
        assertThat(Figures.beside(before, after))
                .containsExactly("step 0.25 -> 0.5 s of 10", "twice 1 -> 3", "twice 2", "fresh 7");
    }
}
