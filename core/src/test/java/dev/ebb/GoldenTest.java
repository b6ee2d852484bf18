package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.exec.loop.Scratch;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Shape;
import dev.ebb.pass.Fuse;
import dev.ebb.pass.KernelText;
import dev.ebb.pass.Loops;
import dev.ebb.pass.Simplify;
import dev.ebb.plan.StoreAll;
import dev.ebb.plan.schedule.InPlaceUpdates;
import dev.ebb.plan.schedule.Problem;
import dev.ebb.plan.schedule.Step;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.network.Attention;
import dev.ebb.trace.Trace;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What each pass makes of a few small programs, as text: a change of a pass shows as a difference
 * that a person can read. To accept a difference, delete the file, run this test, which writes it
 * anew and fails once, and look at what changed.
 */
class GoldenTest {
    private static final Path FOLDER = Path.of("src/test/resources/golden");

    private static Array array(int... dims) {
        var shape = Shape.of(dims);
        return Array.of(shape, new float[(int) shape.size()]);
    }

    private record Program(Fn<Tensor, Tensor> f, Array argument) {}

    private static Map<String, Program> programs() {
        var programs = new LinkedHashMap<String, Program>();
        programs.put(
                "mlp",
                new Program(
                        x ->
                                x.matmul(array(8, 16))
                                        .add(array(16))
                                        .relu()
                                        .matmul(array(16, 2))
                                        .sum(),
                        array(4, 8)));
        programs.put(
                "norm",
                new Program(
                        x -> x.layerNorm(array(96), array(96), 1e-5).square().sum(), array(4, 96)));
        programs.put(
                "attention",
                new Program(x -> x.attention(x, x, Attention.past()).sum(), array(1, 2, 8, 4)));
        programs.put(
                "scan", new Program(x -> Loop.repeat(5, x, h -> h.mul(x).sin()).sum(), array(6)));
        programs.put(
                "reversible",
                new Program(
                        x -> {
                            var block = Reversible.block(Tensor::tanh, Tensor::sin);
                            var out =
                                    Reversible.stack(List.of(block, block))
                                            .apply(Reversible.Streams.of(x));
                            return out.sum().sum();
                        },
                        array(2, 6)));
        return programs;
    }

    @TestFactory
    Stream<DynamicTest> everyPass() {
        return programs().entrySet().stream()
                .map(
                        e ->
                                DynamicTest.dynamicTest(
                                        e.getKey(), () -> check(e.getKey(), e.getValue())));
    }

    private static void check(String name, Program program) throws IOException {
        var gradient = Ebb.grad(program.f);
        var graph =
                Trace.of(
                                in -> List.of(gradient.apply(in.getFirst())),
                                List.of(program.argument.type()))
                        .graph();
        var text = new StringBuilder();
        stage("traced and reversed", graph, text);
        var simple = Simplify.of(graph);
        stage("simplified", simple, text);
        var fused = Fuse.of(simple);
        stage("fused", fused, text);
        var loops = Loops.merge(fused);
        stage("loops", loops, text);
        var problem = InPlaceUpdates.of(Problem.of(Scratch.add(loops, Devices.reference())));
        stage("settled, with workspace", problem.graph(), text);
        text.append("== scheduled, everything kept\n");
        for (var step : new StoreAll().plan(problem, _ -> 1).steps())
            text.append(line(step)).append('\n');
        var file = FOLDER.resolve(name + ".txt");
        if (!Files.exists(file)) {
            Files.createDirectories(FOLDER);
            Files.writeString(file, text);
        } else {
            assertThat(text.toString()).isEqualTo(Files.readString(file));
            return;
        }
        assertThat(file).as("a golden file that was written just now: look at it").doesNotExist();
    }

    private static String line(Step step) {
        return switch (step) {
            case Step.Compute(var node, var reuses) -> "compute " + node + over(reuses);
            case Step.Invert(var inversion, var reuses) ->
                    "invert " + inversion.node() + over(reuses);
            case Step.Free(var value) -> "free " + value;
            case Step.Offload(var value, _) -> "offload " + value;
            case Step.Fetch(var value, _) -> "fetch " + value;
        };
    }

    private static String over(List<Step.Reuse> reuses) {
        var text = new StringBuilder();
        for (var r : reuses) text.append(", ").append(r.into()).append(" over ").append(r.from());
        return text.toString();
    }

    private static void stage(String name, Graph graph, StringBuilder text) {
        text.append("== ").append(name).append('\n').append(KernelText.of(graph)).append('\n');
    }
}
