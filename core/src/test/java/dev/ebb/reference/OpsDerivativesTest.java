package dev.ebb.reference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Devices;
import dev.ebb.exec.Device;
import dev.ebb.grad.Reverse;
import dev.ebb.ir.Fn1;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Op;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.trace.Trace;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

class OpsDerivativesTest extends OpsDerivatives {
    private static final Path CLASSES = Path.of("target", "classes");

    @Override
    protected Device device() {
        return Devices.best();
    }

    /** Every op appears in the graph of a sample, or in that of its derivative. */
    @Test
    void every_op_has_a_sample() throws IOException {
        var sampled =
                SampleTable.all().stream()
                        .flatMap(OpsDerivativesTest::ops)
                        .collect(Collectors.toSet());
        assertThat(builtIn())
                .as("ops without a sample; add one to a SampleTable")
                .isSubsetOf(sampled)
                .hasSizeGreaterThan(60);
    }

    @Test
    void every_smooth_function_of_the_table_has_a_sample() {
        var names =
                SampleTable.all().stream()
                        .flatMap(s -> graph(s).nodes().stream())
                        .map(n -> n.op().name())
                        .collect(Collectors.toSet());
        for (var fn : Fn1.values()) {
            if (fn.pullback().isEmpty()) continue;
            assertThat(names).contains(fn.name().toLowerCase(Locale.ROOT));
        }
    }

    private static Graph graph(Sample sample) {
        var operands = sample.operands().apply(sample.sizes().getLast());
        return Trace.of(sample.fn()::apply, operands.stream().map(Tensor::type).toList()).graph();
    }

    private static Stream<Class<?>> ops(Sample sample) {
        var operands = sample.operands().apply(sample.sizes().getLast());
        var graph = graph(sample);
        var floats =
                IntStream.range(0, operands.size())
                        .filter(i -> operands.get(i).dtype().isFloat())
                        .boxed()
                        .toList();
        return Stream.concat(
                        graph.nodes().stream(), Reverse.pullback(graph, floats).nodes().stream())
                .map(n -> n.op().getClass());
    }

    private static Set<Class<?>> builtIn() throws IOException {
        try (var files = Files.walk(CLASSES.resolve("dev/ebb/tensor"))) {
            return files.map(f -> CLASSES.relativize(f).toString())
                    .filter(f -> f.endsWith(".class") && !f.contains("-"))
                    .map(f -> named(f.substring(0, f.length() - 6).replace('/', '.')))
                    .filter(c -> Op.class.isAssignableFrom(c) && !c.isInterface())
                    .collect(Collectors.toSet());
        }
    }

    private static Class<?> named(String name) {
        try {
            return Class.forName(name, false, Array.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }
}
