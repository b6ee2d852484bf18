package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.plan.Budget;
import dev.ebb.plan.RecomputeAll;
import dev.ebb.plan.Segments;
import dev.ebb.plan.StoreAll;
import dev.ebb.plan.schedule.Step;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.grid.Grid;
import dev.ebb.tensor.grid.GridException;
import dev.ebb.trace.Trace;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

class ReversibleTest {
    static final int ROWS = 24;
    static final int WIDTH = 8;

    record Net(List<Tensor> f, List<Tensor> g, Tensor x) {
        static Net of(int depth, int seed) {
            var random = new Random(seed);
            return new Net(
                    IntStream.range(0, depth).mapToObj(_ -> noise(random, WIDTH)).toList(),
                    IntStream.range(0, depth).mapToObj(_ -> noise(random, WIDTH)).toList(),
                    noise(random, ROWS));
        }

        private static Tensor noise(Random random, int rows) {
            var data = new float[rows * WIDTH];
            for (int i = 0; i < data.length; i++) data[i] = (float) random.nextGaussian() / 3;
            return Array.of(Shape.of(rows, WIDTH), data);
        }

        List<Reversible.Block> blocks() {
            return IntStream.range(0, f.size())
                    .mapToObj(
                            i ->
                                    Reversible.block(
                                            x -> x.matmul(f.get(i)).tanh(),
                                            x -> x.matmul(g.get(i)).gelu()))
                    .toList();
        }

        Tensor loss() {
            return Reversible.stack(blocks()).apply(Reversible.Streams.of(x)).sum().square().mean();
        }
    }

    static Fn<Net, Ebb.ValueAndGrad<Net>> gradient() {
        return Ebb.valueAndGrad((Fn<Net, Tensor>) Net::loss);
    }

    static List<Array> arrays(Ebb.ValueAndGrad<Net> of) {
        var all = new ArrayList<Array>();
        all.add((Array) of.value());
        Tensorwise.list(of.grad()).forEach(t -> all.add((Array) t));
        return all;
    }

    static void sameBits(Ebb.ValueAndGrad<Net> found, Ebb.ValueAndGrad<Net> expected, Object what) {
        var a = arrays(found);
        var b = arrays(expected);
        for (int i = 0; i < a.size(); i++)
            assertThat(a.get(i).sameBits(b.get(i))).as("%s, tensor %s", what, i).isTrue();
    }

    /** The coupling as its formula says, in whole steps of the grid. */
    @Test
    void aBlockAddsWhatItsBranchesSay() {
        var x1 = Array.of(0.5, -0.25, 100);
        var x2 = Array.of(1.0, 2.0, 3.0);
        var block = Reversible.block(x -> x.mul(0.1), y -> y.mul(3));
        var out =
                Reversible.stack(List.of(block), new Grid(2)).apply(new Reversible.Streams(x1, x2));
        assertThat(out.first().toDoubles()).containsExactly(0.5, 0, 100.25);
        assertThat(out.second().toDoubles()).containsExactly(2.5, 2, 303.75);
        var plain = Reversible.approximate(List.of(block)).apply(new Reversible.Streams(x1, x2));
        assertThat(((Array) plain.first()).data().get(0)).isEqualTo(0.5 + 0.1);
        assertThat(((Array) block.apply(Reversible.Streams.of(x2)).sum()).data().get(0))
                .isCloseTo(0.55 + 0.5 + 3 * 0.55, within(1e-9));
    }

    @Test
    void gradientsAreThoseOfThePlainCouplingUpToTheGrid() {
        var net = Net.of(4, 3);
        Fn<Net, Tensor> plain =
                n ->
                        Reversible.approximate(n.blocks())
                                .apply(Reversible.Streams.of(n.x()))
                                .sum()
                                .square()
                                .mean();
        var found = arrays(Ebb.compile(gradient()).apply(net));
        var expected = arrays(Ebb.compile(Ebb.valueAndGrad(plain)).apply(net));
        for (int i = 0; i < found.size(); i++) {
            for (long j = 0; j < found.get(i).type().size(); j++) {
                assertThat(found.get(i).data().get(j))
                        .isCloseTo(expected.get(i).data().get(j), within(2e-5));
            }
        }
    }

    @Test
    void sameBitsUnderEveryStrategy() {
        var net = Net.of(6, 4);
        var expected = Ebb.compile(gradient()).with(new StoreAll()).apply(net);
        for (var planner : List.of(new RecomputeAll(), Segments.sqrt())) {
            sameBits(Ebb.compile(gradient()).with(planner).apply(net), expected, planner);
            sameBits(Ebb.compile(gradient()).with(planner).verify(net), expected, planner);
        }
        sameBits(Ebb.compile(gradient()).unfused().apply(net), expected, "unfused");
    }

    /** Streams lie in memory between blocks, where they can be taken back. */
    @Test
    void streamsStayKernelsOfTheirOwn() {
        var plan = Ebb.compile(gradient()).with(new StoreAll()).plan(Net.of(3, 5));
        var sums =
                plan.schedule().problem().graph().nodes().stream()
                        .filter(n -> n.op().name().equals("grid_add"))
                        .toList();
        assertThat(sums).hasSize(6);
        assertThat(sums).allMatch(n -> n.op().inverses(n.inputTypes()).size() == 1);
        assertThat(sums.getLast().region()).hasToString("block 2/g");
    }

    @Test
    void whatCannotBeAddedIsRefusedWhereItEnters() {
        var x = Array.of(Shape.of(2), 0f, 1f);
        var fine = Reversible.block(t -> t, t -> t);
        var divides = Reversible.block(t -> t, t -> t.reciprocal().log());
        Fn<Tensor, Tensor> f =
                t ->
                        Reversible.stack(List.of(fine, divides, fine))
                                .apply(Reversible.Streams.of(t))
                                .sum();
        assertThatThrownBy(() -> Ebb.compile(f).apply(x))
                .isInstanceOf(GridException.class)
                .hasMessageContaining("what is added on the grid in block 1/g: Infinity at [0]");
        assertThatThrownBy(() -> Ebb.compile(f).apply(Array.of(Shape.of(2), 0f, Float.NaN)))
                .isInstanceOf(GridException.class)
                .hasMessageContaining("what enters the grid in enter: NaN at [1]");
        assertThatThrownBy(() -> Ebb.compile(f).apply(Array.of(Shape.of(2), 0f, 1e7f)))
                .isInstanceOf(GridException.class)
                .hasMessageContaining("5000000.0 at [1] lies beyond a grid of 16 fractional bits");
    }

    @Test
    void aBranchOfAnotherShapeOrTypeIsRefused() {
        var block = Reversible.block(t -> t.sum(), t -> t);
        var type = List.of(new Type(DType.F32, Shape.of(3)));
        assertThatThrownBy(
                        () ->
                                Trace.of(
                                        in ->
                                                List.of(
                                                        block.apply(
                                                                        Reversible.Streams.of(
                                                                                in.getFirst()))
                                                                .sum()),
                                        type))
                .isInstanceOf(ShapeException.class)
                .hasMessageContaining("must have the stream's shape and element type");
    }

    /**
     * Only where it is asked for; then it is marked in the plan, and how far it is off is told.
     * Eight blocks make more of the rounding of f32.
     */
    @Test
    void anApproximateWayBackIsMarkedAndMeasured() {
        Fn<Net, Tensor> loss =
                n ->
                        Reversible.approximate(n.blocks())
                                .apply(Reversible.Streams.of(n.x()))
                                .sum()
                                .square()
                                .mean();
        var net = Net.of(8, 6);
        var all = Ebb.compile(Ebb.valueAndGrad(loss));
        var least = all.within(Budget.bytes(all.plan(net).leastBytes()));
        var found = arrays(least.verify(net));
        assertThat(least.plan(net).explain()).contains("approximately");
        assertThat(least.report().drifts()).isNotEmpty();
        assertThat(least.report().drifts()).allMatch(d -> d.relative() < 1e-5);
        assertThat(least.report().drifts()).anyMatch(d -> d.relative() > 0);
        var stored = arrays(all.with(new StoreAll()).apply(net));
        for (int i = 0; i < found.size(); i++) {
            for (long j = 0; j < found.get(i).type().size(); j++) {
                assertThat(found.get(i).data().get(j))
                        .isCloseTo(stored.get(i).data().get(j), within(1e-4));
            }
        }
    }

    /** Branches so strong that streams go round the grid; inputs of every kind of float. */
    private static Tensor wild(Tensor x) {
        var block = Reversible.block(a -> a.mul(40).sin().mul(90), b -> b.square().cos().mul(120));
        var out = Reversible.stack(List.of(block, block, block)).apply(Reversible.Streams.of(x));
        return out.first().sin().add(out.second()).sum();
    }

    @Test
    void tenThousandInputsAreRebuiltToTheLastBitOrRefused() {
        var random = new Random(12);
        Fn<Tensor, Ebb.ValueAndGrad<Tensor>> f = Ebb.valueAndGrad(ReversibleTest::wild);
        var type = new Type(DType.F32, Shape.of(10));
        var example = Array.make(type, _ -> {});
        var free = Ebb.compile(f);
        long least = free.plan(example).leastBytes();
        int refused = 0;
        try (var all = free.with(new StoreAll());
                var tight = free.within(Budget.bytes(least))) {
            assertThat(tight.plan(example).schedule().steps())
                    .anyMatch(s -> s instanceof Step.Invert);
            for (int n = 0; n < 1000; n++) {
                var data = new float[10];
                for (int i = 0; i < data.length; i++) data[i] = any(random);
                var x = Array.of(Shape.of(10), data);
                boolean fits = IntStream.range(0, 10).allMatch(i -> Math.abs(data[i]) < 255.9999f);
                if (!fits) {
                    refused++;
                    assertThatThrownBy(() -> tight.apply(x))
                            .isInstanceOf(GridException.class)
                            .hasMessageContaining("what enters the grid in enter");
                    continue;
                }
                var expected = all.apply(x);
                var found = tight.verify(x);
                assertThat(found.value().sameBits((Array) expected.value())).isTrue();
                assertThat(found.grad().sameBits((Array) expected.grad())).isTrue();
            }
        }
        assertThat(refused).isBetween(100, 700);
    }

    private static float any(Random random) {
        return switch (random.nextInt(40)) {
            case 0 -> Float.intBitsToFloat(random.nextInt());
            case 1 -> Float.MIN_VALUE * random.nextInt(1000);
            case 2 -> random.nextBoolean() ? -0f : 0f;
            case 3 -> random.nextInt(8) == 0 ? Float.NEGATIVE_INFINITY : -255.5f;
            case 4 -> random.nextInt(8) == 0 ? Float.NaN : 255.5f;
            default -> 255 * (2 * random.nextFloat() - 1);
        };
    }
}
