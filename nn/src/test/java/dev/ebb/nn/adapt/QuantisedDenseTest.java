package dev.ebb.nn.adapt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.Ebb;
import dev.ebb.cpu.Cpu;
import dev.ebb.ir.Control;
import dev.ebb.ir.DecodingContract;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Node;
import dev.ebb.ir.Shape;
import dev.ebb.nn.Init;
import dev.ebb.nn.Linear;
import dev.ebb.nn.Projection;
import dev.ebb.nn.Seed;
import dev.ebb.nn.adapt.QuantisedDense.Bits;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.stream.Stream;

/** Quantised layers against loops over plain arrays. */
class QuantisedDenseTest {
    private static final Cpu CPU = new Cpu(2);

    private static Array noise(int seed, int... dims) {
        return Init.uniform(1).of(Shape.of(dims), new Seed(seed));
    }

    /** The nearest of the codes' values, block by block, in plain Java. */
    private static double[][] rounded(float[] w, int inputs, int outputs, Bits bits) {
        int most = bits == Bits.EIGHT ? 127 : 7;
        int block = bits == Bits.EIGHT ? inputs : inputs % 128 == 0 ? 64 : inputs / 2;
        var out = new double[inputs][outputs];
        for (int j = 0; j < outputs; j++) {
            for (int start = 0; start < inputs; start += block) {
                double largest = 0;
                for (int i = start; i < start + block; i++)
                    largest = Math.max(largest, Math.abs(w[i * outputs + j]));
                float scale = (float) (largest / most);
                for (int i = start; i < start + block; i++)
                    out[i][j] = Math.round(w[i * outputs + j] / (double) scale) * (double) scale;
            }
        }
        return out;
    }

    @ParameterizedTest
    @EnumSource
    void productAndGradientAreThoseOfTheRoundedMatrix(Bits bits) {
        // wide enough for several pieces, and for several blocks of 4 bits in each half
        holds(bits, 256, 3072, 3);
        // one block a half
        holds(bits, 10, 6, 4);
    }

    private static void holds(Bits bits, int inputs, int outputs, int rows) {
        var weight = noise(1, inputs, outputs);
        var bias = noise(2, outputs);
        var layer = QuantisedDense.of(new Linear(weight, bias), bits);
        var x = noise(3, rows, inputs);
        var dy = noise(4, rows, outputs);
        try (var both =
                Ebb.compile(
                                (Tensor at) ->
                                        Ebb.valueAndGrad(
                                                        (Tensor to) ->
                                                                layer.apply(to).mul(dy).sum())
                                                .apply(at)
                                                .grad())
                        .on(CPU)) {
            var dx = both.apply(x).toFloats();
            var y = layer.apply(x).toFloats();
            var in = x.toFloats();
            var out = dy.toFloats();
            var shift = bias.toFloats();
            var w = rounded(weight.toFloats(), inputs, outputs, bits);
            for (int r = 0; r < rows; r++) {
                for (int j = 0; j < outputs; j++) {
                    double sum = shift[j];
                    for (int i = 0; i < inputs; i++) sum += in[r * inputs + i] * w[i][j];
                    assertThat((double) y[r * outputs + j]).isCloseTo(sum, Assertions.within(2e-4));
                }
                for (int i = 0; i < inputs; i++) {
                    double sum = 0;
                    for (int j = 0; j < outputs; j++) sum += out[r * outputs + j] * w[i][j];
                    assertThat((double) dx[r * inputs + i]).isCloseTo(sum, Assertions.within(2e-3));
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void takesTheBytesOfItsBits(Bits bits) {
        var layer = (QuantisedDense) QuantisedDense.of(new Projection(noise(1, 256, 512)), bits);
        long codes = layer.codes().type().bytes();
        assertThat(codes).isEqualTo(256L * 512 * (bits == Bits.EIGHT ? 8 : 4) / 8);
        assertThat(layer.scales().type().bytes()).isLessThanOrEqualTo(codes / 8);
        assertThat(layer.size()).isEqualTo(Shape.of(256, 512));
    }

    private static Stream<Node> within(Graph graph) {
        return graph.nodes().stream()
                .flatMap(
                        node ->
                                node.kernel() instanceof Control control
                                        ? control.bodies().stream()
                                                .flatMap(QuantisedDenseTest::within)
                                        : Stream.of(node));
    }

    @ParameterizedTest
    @EnumSource
    void noPieceIsWideInMemory(Bits bits) {
        int inputs = 256;
        int outputs = 8192;
        var layer =
                (QuantisedDense) QuantisedDense.of(new Projection(noise(1, inputs, outputs)), bits);
        var x = noise(2, 4, inputs);
        try (var gradient =
                Ebb.compile(
                                (Tensor in) ->
                                        Ebb.grad((Tensor at) -> layer.apply(at).square().sum())
                                                .apply(in))
                        .within(Budget.unlimited())
                        .on(CPU)) {
            gradient.apply(x);
            var report = gradient.report();
            assertThat(report.measuredBytes()).isEqualTo(report.promisedBytes());
            long held = layer.codes().type().bytes() + layer.scales().type().bytes();
            // the wide matrix would be 8 MiB, and a piece of it 1 MiB
            assertThat(report.promisedBytes()).isLessThan(held + (2L << 20));
            int piece = layer.codes().dim(2) * inputs;
            var nodes = within(gradient.plan(x).schedule().problem().graph()).toList();
            assertThat(nodes).anyMatch(n -> n.kernel() instanceof DecodingContract);
            for (var node : nodes)
                for (var value : node.outputs())
                    assertThat(value.type().size()).as("%s", node).isLessThan(piece / 2);
        }
    }

    @Test
    void whatHasNoCodeIsRefused() {
        var odd = new Projection(noise(1, 3, 2));
        assertThatThrownBy(() -> QuantisedDense.of(odd, Bits.FOUR))
                .hasMessageContaining("take 8 bits");
        var bad = new Projection(Array.of(Shape.of(2, 1), 1f, Float.NaN));
        assertThatThrownBy(() -> QuantisedDense.of(bad, Bits.EIGHT))
                .hasMessageContaining("the weight at [1, 0] is NaN");
    }
}
