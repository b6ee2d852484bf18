package dev.ebb.exec.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Devices;
import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Loop;
import dev.ebb.exec.PlaceException;
import dev.ebb.exec.transfer.BackingStore;
import dev.ebb.plan.Binomial;
import dev.ebb.plan.Budget;
import dev.ebb.plan.cost.LoopTransferCost;
import dev.ebb.plan.schedule.Disk;
import dev.ebb.plan.schedule.Layout;
import dev.ebb.plan.schedule.Speed;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A disk that fails while a loop keeps states there: a clear error, never a wrong gradient. */
class LoopDiskFaultTest {
    private static final Array X = Array.of(0.4, 0.9, 0.1);

    @TempDir Path folder;

    private Layout layout;
    private MemorySegment expected;

    /** Fails at the n-th write, or gives another bit at the n-th read; 0 for never. */
    private static final class Faulty implements BackingStore {
        private final BackingStore real;
        private final int full;
        private final int flipped;
        private int writes;
        private int reads;

        Faulty(Path folder, int full, int flipped) throws IOException {
            real = BackingStore.in(folder);
            this.full = full;
            this.flipped = flipped;
        }

        @Override
        public int write(ByteBuffer from, long at) throws IOException {
            if (++writes == full) throw new IOException("No space left on device");
            return real.write(from, at);
        }

        @Override
        public int read(ByteBuffer to, long at) throws IOException {
            int start = to.position();
            int some = real.read(to, at);
            if (++reads == flipped) to.put(start + 5, (byte) (to.get(start + 5) ^ 1));
            return some;
        }

        @Override
        public void close() throws IOException {
            real.close();
        }
    }

    @BeforeEach
    void plan() {
        Fn<Tensor, Tensor> f = v -> Loop.repeat(40, v, c -> c.mul(c).sin().add(0.1)).sum();
        var disk = Budget.unlimited().with(Disk.in(folder, 1L << 20));
        var compiled =
                Ebb.compile(Ebb.grad(f)).within(disk).on(Devices.best()).with(new Binomial(2, 4));
        layout = compiled.plan(X).layout();
        expected = run(new Program(layout, Devices.best()));
        assertThat(((Array) compiled.apply(X)).data().segment().mismatch(expected)).isEqualTo(-1);
    }

    private static MemorySegment run(Program program) {
        try (program) {
            return once(program);
        }
    }

    private static MemorySegment once(Program program) {
        program.write(0, X.data().segment());
        program.run();
        var to = MemorySegment.ofArray(new byte[3 * 8]);
        program.readResult(0, to);
        return to;
    }

    private Program program(BackingStore backing) {
        return new Program(layout, Devices.best(), _ -> backing);
    }

    private void assertNothingLeft() throws IOException {
        try (var files = Files.list(folder)) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void everyFullDiskAndEveryFlippedBitIsTold() throws IOException {
        var good = new Faulty(folder, 0, 0);
        assertThat(run(program(good)).mismatch(expected)).isEqualTo(-1);
        assertThat(good.writes).isGreaterThan(4);
        assertThat(good.reads).isGreaterThan(4);
        for (int n = 1; n <= good.writes; n++) {
            var full = new Faulty(folder, n, 0);
            assertThatThrownBy(() -> run(program(full)))
                    .isInstanceOf(PlaceException.class)
                    .hasMessageContaining("of scan(40)")
                    .hasMessageContaining("could not be written")
                    .hasMessageContaining("No space left")
                    .hasMessageContaining(folder.toString());
            assertNothingLeft();
        }
        for (int n = 1; n <= good.reads; n++) {
            var flipped = new Faulty(folder, 0, n);
            assertThatThrownBy(() -> run(program(flipped)))
                    .isInstanceOf(PlaceException.class)
                    .hasMessageContaining("could not be read back")
                    .hasMessageContaining("not the bytes that were written");
            assertNothingLeft();
        }
    }

    /** On a disk that takes one second for anything, what is predicted is how often it is used. */
    @Test
    void theCostKnowsHowOftenStatesAreMoved() throws IOException {
        var counting = new Faulty(folder, 0, 0);
        run(program(counting));
        var disk = new Disk(folder, 1, new Speed(1e300, 1e300, 1));
        double seconds = layout.schedule().cost(new LoopTransferCost(_ -> 0, List.of(disk)));
        assertThat(seconds).isEqualTo(counting.writes + counting.reads, within(1e-9));
    }

    @Test
    void aProgramGoesOnAfterAFaultThatPassed() throws IOException {
        try (var program = program(new Faulty(folder, 3, 0))) {
            assertThatThrownBy(() -> once(program)).isInstanceOf(PlaceException.class);
            assertThat(once(program).mismatch(expected)).isEqualTo(-1);
        }
    }
}
