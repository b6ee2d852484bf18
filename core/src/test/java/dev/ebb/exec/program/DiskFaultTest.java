package dev.ebb.exec.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.Devices;
import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.exec.PlaceException;
import dev.ebb.exec.transfer.BackingStore;
import dev.ebb.ir.Shape;
import dev.ebb.plan.Budget;
import dev.ebb.plan.schedule.Disk;
import dev.ebb.plan.schedule.Layout;
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
import java.util.ArrayList;
import java.util.List;

/** A disk that fails ends the run with a clear error: never a wrong result, never a file left. */
class DiskFaultTest {
    @TempDir Path folder;

    private Layout layout;
    private List<Array> arguments;
    private List<MemorySegment> expected;

    /** A backing that misbehaves at its n-th write or read. */
    private abstract static class Faulty implements BackingStore {
        private final BackingStore real;
        int writes;
        int reads;
        boolean closed;

        Faulty(Path folder) throws IOException {
            real = BackingStore.in(folder);
        }

        @Override
        public int write(ByteBuffer from, long at) throws IOException {
            writes++;
            return real.write(from, at);
        }

        @Override
        public int read(ByteBuffer to, long at) throws IOException {
            reads++;
            return real.read(to, at);
        }

        @Override
        public void close() throws IOException {
            closed = true;
            real.close();
        }
    }

    private record Net(Tensor a, Tensor b, Tensor c) {}

    @BeforeEach
    void plan() {
        Fn<Net, Tensor> loss =
                n -> n.a().matmul(n.b()).tanh().matmul(n.c()).sin().matmul(n.a()).square().mean();
        var net = new Net(filled(1), filled(2), filled(3));
        var f = Ebb.grad(loss);
        var disk = Budget.unlimited().with(Disk.in(folder, 8L << 20));
        var curve = Ebb.compile(f).within(disk).on(Devices.best()).plan(net).curve();
        layout = curve.at(Budget.bytes(curve.leastBytes())).layout();
        assertThat(layout.offloadedBytes()).isPositive();
        arguments = new ArrayList<>();
        for (var t : List.of(net.a(), net.b(), net.c())) arguments.add((Array) t);
        expected = run(new Program(layout, Devices.best()));
    }

    private static Array filled(int seed) {
        var data = new double[48 * 48];
        for (int i = 0; i < data.length; i++) data[i] = Math.sin(seed * 100 + i);
        return Array.of(Shape.of(48, 48), data);
    }

    private List<MemorySegment> run(Program program) {
        try (program) {
            for (int i = 0; i < arguments.size(); i++)
                program.write(i, arguments.get(i).data().segment());
            program.run();
            var results = new ArrayList<MemorySegment>();
            for (int i = 0; i < arguments.size(); i++) {
                var to = MemorySegment.ofArray(new byte[48 * 48 * 8]);
                program.readResult(i, to);
                results.add(to);
            }
            return results;
        }
    }

    private void assertNothingLeft() throws IOException {
        try (var files = Files.list(folder)) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void aFullDiskAtAnyWriteIsTold() throws IOException {
        for (int n = 1; n < 40; n++) {
            int at = n;
            var faulty =
                    new Faulty(folder) {
                        @Override
                        public int write(ByteBuffer from, long where) throws IOException {
                            if (writes + 1 >= at) throw new IOException("No space left on device");
                            return super.write(from, where);
                        }
                    };
            if (n > 20 && writesOfARun() < n) {
                assertThat(same(run(new Program(layout, Devices.best(), _ -> faulty)))).isTrue();
                break;
            }
            assertThatThrownBy(() -> run(new Program(layout, Devices.best(), _ -> faulty)))
                    .isInstanceOf(PlaceException.class)
                    .hasMessageContaining("No space left")
                    .hasMessageContaining("could not be written")
                    .hasMessageContaining(folder.toString());
            assertThat(faulty.closed).isTrue();
            assertNothingLeft();
            if (n + 1 > writesOfARun()) break;
        }
    }

    private int writesOfARun() throws IOException {
        var counting = new Faulty(folder) {};
        run(new Program(layout, Devices.best(), _ -> counting));
        return counting.writes;
    }

    private boolean same(List<MemorySegment> results) {
        for (int i = 0; i < results.size(); i++)
            if (results.get(i).mismatch(expected.get(i)) != -1) return false;
        return true;
    }

    @Test
    void aFlippedBitIsFoundWhereverItIs() throws IOException {
        var counting = new Faulty(folder) {};
        assertThat(same(run(new Program(layout, Devices.best(), _ -> counting)))).isTrue();
        for (int n = 1; n <= counting.reads; n++) {
            int at = n;
            var faulty =
                    new Faulty(folder) {
                        @Override
                        public int read(ByteBuffer to, long where) throws IOException {
                            int from = to.position();
                            int some = super.read(to, where);
                            if (reads == at) to.put(from + 17, (byte) (to.get(from + 17) ^ 4));
                            return some;
                        }
                    };
            assertThatThrownBy(() -> run(new Program(layout, Devices.best(), _ -> faulty)))
                    .isInstanceOf(PlaceException.class)
                    .hasMessageContaining("not the bytes that were written");
            assertNothingLeft();
        }
    }

    @Test
    void shortWritesAndReadsGoOn() throws IOException {
        var halting =
                new Faulty(folder) {
                    @Override
                    public int write(ByteBuffer from, long where) throws IOException {
                        return part(from, 1000, piece -> super.write(piece, where));
                    }

                    @Override
                    public int read(ByteBuffer to, long where) throws IOException {
                        return part(to, 777, piece -> super.read(piece, where));
                    }
                };
        assertThat(same(run(new Program(layout, Devices.best(), _ -> halting)))).isTrue();
    }

    private interface Call {
        int with(ByteBuffer piece) throws IOException;
    }

    private static int part(ByteBuffer buffer, int most, Call call) throws IOException {
        int limit = buffer.limit();
        buffer.limit(Math.min(limit, buffer.position() + most));
        int some = call.with(buffer);
        buffer.limit(limit);
        return some;
    }

    @Test
    void aDiskThatTakesNothingMoreIsTold() throws IOException {
        var stuck =
                new Faulty(folder) {
                    @Override
                    public int write(ByteBuffer from, long where) {
                        return 0;
                    }
                };
        assertThatThrownBy(() -> run(new Program(layout, Devices.best(), _ -> stuck)))
                .isInstanceOf(PlaceException.class)
                .hasMessageContaining("accepts no more");
        assertNothingLeft();
    }

    @Test
    void aFileCutShortIsTold() throws IOException {
        var cut =
                new Faulty(folder) {
                    @Override
                    public int read(ByteBuffer to, long where) {
                        return -1;
                    }
                };
        assertThatThrownBy(() -> run(new Program(layout, Devices.best(), _ -> cut)))
                .isInstanceOf(PlaceException.class)
                .hasMessageContaining("ends too early");
        assertNothingLeft();
    }

    @Test
    void aFolderRemovedMeanwhileDoesNoHarm() throws IOException {
        var inner = Files.createDirectory(folder.resolve("inner"));
        var backing = new BackingStore[] {BackingStore.in(inner)};
        Files.delete(inner);
        assertThat(same(run(new Program(layout, Devices.best(), _ -> backing[0])))).isTrue();
        assertThatThrownBy(() -> new Program(layout, Devices.best(), _ -> BackingStore.in(inner)))
                .isInstanceOf(PlaceException.class)
                .hasMessageContaining("no file can be made");
    }

    @Test
    void aProgramGoesOnAfterAFaultThatPassed() throws IOException {
        var once =
                new Faulty(folder) {
                    boolean failed;

                    @Override
                    public int read(ByteBuffer to, long where) throws IOException {
                        if (!failed) {
                            failed = true;
                            throw new IOException("Input/output error");
                        }
                        return super.read(to, where);
                    }
                };
        try (var program = new Program(layout, Devices.best(), _ -> once)) {
            for (int i = 0; i < arguments.size(); i++)
                program.write(i, arguments.get(i).data().segment());
            assertThatThrownBy(program::run).isInstanceOf(PlaceException.class);
            for (int i = 0; i < arguments.size(); i++)
                program.write(i, arguments.get(i).data().segment());
            program.run();
            for (int i = 0; i < arguments.size(); i++) {
                var to = MemorySegment.ofArray(new byte[48 * 48 * 8]);
                program.readResult(i, to);
                assertThat(to.mismatch(expected.get(i))).isEqualTo(-1);
            }
        }
    }
}
