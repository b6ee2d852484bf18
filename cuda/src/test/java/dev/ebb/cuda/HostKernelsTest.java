package dev.ebb.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Compares the generated text of every form with the reference device without a GPU: the text is
 * compiled by the system's C++ compiler, and a block's threads run as fibers. A subset of all cases
 * is tested, chosen by number; {@link DeviceCheck} tests all of them on a GPU.
 */
class HostKernelsTest {
    private static final int SHARE = 6;

    @Test
    void generated_kernels_agree_with_the_reference(@TempDir Path folder) throws Exception {
        assumeTrue(
                InstalledPrograms.has("g++"),
                "no g++ on the PATH: kernels are not tried on the processor");
        var all = Cases.all();
        var cases = new ArrayList<Case>();
        var ways = new ArrayList<Case.Way>();
        for (int i = 0; i < all.size(); i++) {
            for (var way : all.get(i).ways()) {
                boolean always = way.name().endsWith("tensor") || way.name().endsWith("tf32");
                if (i % SHARE != 0 && !always) continue;
                cases.add(all.get(i));
                ways.add(way);
            }
        }
        var runner = new HostRunner(ways.stream().map(Case.Way::recipe).toList(), folder);
        for (int i = 0; i < cases.size(); i++) {
            var c = cases.get(i);
            var out = c.outputs();
            runner.run(ways.get(i).recipe(), c.in(), out);
            assertThat(c.error(out, c.expected()))
                    .as("%s %s", ways.get(i).name(), c.name())
                    .isLessThanOrEqualTo(ways.get(i).tolerance());
        }
    }

    @Test
    void an_index_out_of_bounds_is_named(@TempDir Path folder) throws Exception {
        assumeTrue(
                InstalledPrograms.has("g++"),
                "no g++ on the PATH: kernels are not tried on the processor");
        var shape = Shape.of(3, 4);
        var index = Case.buffer(DType.I32, 3);
        index.setLong(1, 5);
        var gather =
                new Case(
                        "gather",
                        "out of bounds",
                        new Kernel.Gather(
                                shape,
                                new View(0, List.of(0L, 1L)),
                                new View(0, List.of(1L, 0L)),
                                4,
                                5),
                        List.of(Case.buffer(DType.F32, 20), index),
                        List.of(new Type(DType.F32, shape)),
                        0);
        var runner = new HostRunner(List.of(gather.recipe(Precision.F32)), folder);
        assertThatThrownBy(
                        () ->
                                runner.run(
                                        gather.recipe(Precision.F32),
                                        gather.in(),
                                        gather.outputs()))
                .hasMessage("index 5");
    }
}
