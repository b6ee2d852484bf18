package dev.ebb.exec.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.Devices;
import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Loop;
import dev.ebb.exec.PlaceException;
import dev.ebb.exec.transfer.BackingStore;
import dev.ebb.ir.Control;
import dev.ebb.plan.Binomial;
import dev.ebb.plan.Budget;
import dev.ebb.plan.schedule.Disk;
import dev.ebb.plan.schedule.Layout;
import dev.ebb.plan.schedule.Step;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** States of a loop move while the loop runs on. */
class LoopOverlapTest {
    private static final Array X = Array.of(0.4, 0.9, 0.1);

    @TempDir Path folder;

    /** Notes the thread of each transfer. */
    private static final class Watching implements BackingStore {
        private final BackingStore real;
        private final List<Thread> movers = new ArrayList<>();
        private int writes;
        private int reads;

        Watching(Path folder) throws IOException {
            real = BackingStore.in(folder);
        }

        @Override
        public int write(ByteBuffer from, long at) throws IOException {
            movers.add(Thread.currentThread());
            writes++;
            return real.write(from, at);
        }

        @Override
        public int read(ByteBuffer to, long at) throws IOException {
            movers.add(Thread.currentThread());
            reads++;
            return real.read(to, at);
        }

        @Override
        public void close() throws IOException {
            real.close();
        }
    }

    private Layout layout(int slots, int onDisk) {
        Fn<Tensor, Tensor> f = v -> Loop.repeat(40, v, c -> c.mul(c).sin().add(0.1)).sum();
        var disk = Budget.unlimited().with(Disk.in(folder, 1L << 20));
        return Ebb.compile(Ebb.grad(f))
                .within(disk)
                .on(Devices.best())
                .with(new Binomial(slots, onDisk))
                .plan(X)
                .layout();
    }

    private static MemorySegment run(Program program) {
        program.write(0, X.data().segment());
        var report = program.run();
        assertThat(report.measuredBytes()).isEqualTo(report.promisedBytes());
        assertThat(report.places().getFirst().measuredBytes())
                .isEqualTo(report.places().getFirst().promisedBytes());
        var to = MemorySegment.ofArray(new byte[3 * 8]);
        program.readResult(0, to);
        return to;
    }

    private static boolean moving(Layout layout) {
        return layout.schedule().steps().stream()
                .anyMatch(
                        s ->
                                s instanceof Step.Work work
                                        && work.node().kernel() instanceof Control.ReverseScan scan
                                        && scan.area().moving() == 1);
    }

    /** Every state is moved by the thread of the disk, none by that of the loop. */
    @Test
    void statesMoveBesideTheLoopWithTheSameBits() throws IOException {
        MemorySegment expected;
        try (var program = new Program(layout(40, 0), Devices.best())) {
            expected = run(program);
        }
        for (int onDisk : new int[] {1, 2, 4, 12, 36}) {
            for (int slots : new int[] {1, 2, 3}) {
                var layout = layout(slots, onDisk);
                assertThat(moving(layout)).isTrue();
                var watching = new Watching(folder);
                try (var program = new Program(layout, Devices.best(), _ -> watching)) {
                    for (int again = 0; again < 3; again++)
                        assertThat(run(program).mismatch(expected)).isEqualTo(-1);
                }
                assertThat(watching.writes).isPositive();
                assertThat(watching.reads).isPositive();
                assertThat(watching.movers)
                        .as("%s states in memory, %s on the disk", slots, onDisk)
                        .doesNotContain(Thread.currentThread());
            }
        }
    }

    /** A write that failed with its run does not fail the next one. */
    @Test
    void aRunAfterAFaultBeginsAnew() throws IOException {
        var layout = layout(2, 4);
        MemorySegment expected;
        try (var program = new Program(layout, Devices.best())) {
            expected = run(program);
        }
        var failing =
                new BackingStore() {
                    private final BackingStore real = BackingStore.in(folder);
                    private int moves;

                    @Override
                    public int write(ByteBuffer from, long at) throws IOException {
                        if (++moves == 3) throw new IOException("once");
                        return real.write(from, at);
                    }

                    @Override
                    public int read(ByteBuffer to, long at) throws IOException {
                        return real.read(to, at);
                    }

                    @Override
                    public void close() throws IOException {
                        real.close();
                    }
                };
        try (var program = new Program(layout, Devices.best(), _ -> failing)) {
            assertThatThrownBy(() -> run(program))
                    .isInstanceOf(PlaceException.class)
                    .hasMessageContaining("once");
            assertThat(run(program).mismatch(expected)).isEqualTo(-1);
        }
    }
}
