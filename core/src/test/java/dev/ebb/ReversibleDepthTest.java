package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.exec.program.Program;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Curve;
import dev.ebb.plan.schedule.Step;
import dev.ebb.tensor.Array;

import org.junit.jupiter.api.Test;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Stacks of reversible blocks, from all the memory they can use down to the least. */
class ReversibleDepthTest {
    private static final int[] DEPTHS = {4, 8, 16};

    /** What the parts of one block take: two streams, and what a branch and its reverse hold. */
    private static final long BLOCK = 8L * ReversibleTest.ROWS * ReversibleTest.WIDTH * 4;

    @Test
    void theSameBitsAtEveryBudgetInMemoryThatDepthDoesNotChange() {
        var beside = new ArrayList<Long>();
        for (int depth : DEPTHS) {
            var net = ReversibleTest.Net.of(depth, depth);
            try (var compiled = Ebb.compile(ReversibleTest.gradient()).on(Devices.best())) {
                var curve = compiled.plan(net).curve();
                long all = curve.storeAllBytes();
                long least = curve.leastBytes();
                var arguments = Tensorwise.list(net).stream().map(t -> (Array) t).toList();
                var expected = run(curve, all, arguments);
                int budgets = 6;
                for (int i = 1; i < budgets; i++) {
                    long bytes = all - (all - least) * i / (budgets - 1);
                    var found = run(curve, bytes, arguments);
                    for (int r = 0; r < expected.size(); r++) {
                        assertThat(found.get(r).mismatch(expected.get(r)))
                                .as("result %s of %s blocks in %s bytes", r, depth, bytes)
                                .isEqualTo(-1);
                    }
                }
                var steps = curve.at(Budget.bytes(least)).schedule().steps();
                assertThat(steps.stream().filter(s -> s instanceof Step.Invert).count())
                        .isGreaterThan(depth);
                beside.add(least - arguments.stream().mapToLong(a -> a.type().bytes()).sum());
            }
        }
        assertThat(beside.get(1) - beside.get(0)).as("%s", beside).isLessThanOrEqualTo(BLOCK);
        assertThat(beside.get(2) - beside.get(0)).as("%s", beside).isLessThanOrEqualTo(BLOCK);
    }

    private static List<MemorySegment> run(Curve curve, long bytes, List<Array> arguments) {
        var layout = curve.at(Budget.bytes(bytes)).layout();
        var graph = layout.schedule().problem().graph();
        try (var program = new Program(layout, Devices.best())) {
            for (int i = 0; i < arguments.size(); i++)
                program.write(i, arguments.get(i).data().segment());
            var report = program.verify();
            assertThat(report.measuredBytes())
                    .isEqualTo(report.promisedBytes())
                    .isLessThanOrEqualTo(bytes);
            var results = new ArrayList<MemorySegment>();
            for (int i = 0; i < graph.results().size(); i++) {
                long size = graph.results().get(i).type().bytes();
                var to = MemorySegment.ofArray(new byte[Math.toIntExact(size)]);
                program.readResult(i, to);
                results.add(to);
            }
            return results;
        }
    }
}
