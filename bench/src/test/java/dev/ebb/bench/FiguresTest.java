package dev.ebb.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

class FiguresTest {
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

    @Test
    void only_benchmarks_write_figures() throws IOException {
        var page = Files.readString(Path.of("README.md"));
        var measured = page.substring(page.indexOf("## Measured\n") + 1);
        var rest = new Figures(measured.substring(0, measured.indexOf("\n## ")));
        for (var name : All.benchmarks().keySet()) {
            assertThat(rest.of(name)).as(name).isPresent();
            rest = rest.with(name, "");
        }
        assertThat(rest.page()).doesNotContainPattern("\\d (ns|us|ms|s|KiB|MiB|GiB|%|times)\\b");
    }

    @Test
    void numbers_stand_beside_those_before() {
        var before = List.of("step 0.25 s of 10", "gone 1", "twice 1", "twice 2");
        var after = List.of("step 0.5 s of 10", "twice 3", "twice 2", "fresh 7");
        assertThat(Figures.beside(before, after))
                .containsExactly("step 0.25 -> 0.5 s of 10", "twice 1 -> 3", "twice 2", "fresh 7");
    }
}
