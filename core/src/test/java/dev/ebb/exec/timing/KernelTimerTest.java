package dev.ebb.exec.timing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Devices;
import dev.ebb.exec.Device;
import dev.ebb.exec.Queue;
import dev.ebb.ir.Adjoints;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.Region;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;
import dev.ebb.ir.View;

import org.junit.jupiter.api.Test;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** A kernel's time is that of the device's own clock, without what it takes to start it alone. */
class KernelTimerTest {
    private static final Type TYPE = new Type(DType.F32, Shape.of(4));
    private static final long KERNEL = 1_000;
    private static final long START = 5_000;

    @Test
    void where_nothing_is_recorded_every_run_is_timed_with_its_start() {
        assertThat(new SlowStart(false).seconds()).isCloseTo(6e-6, within(1e-12));
    }

    @Test
    void recorded_runs_share_one_start() {
        double each = KERNEL + (double) START / KernelTimer.RECORDED;
        assertThat(new SlowStart(true).seconds()).isCloseTo(each * 1e-9, within(1e-12));
    }

    /** A device with a clock of its own, on which a kernel and its start take fixed times. */
    private static final class SlowStart {
        private final Device real = Devices.reference();
        private final boolean records;
        private boolean recording;
        private long clock;

        SlowStart(boolean records) {
            this.records = records;
        }

        double seconds() {
            var device = instead(Device.class, real, Map.of("open", _ -> queue(real.open())));
            return new KernelTimer(device, 1_000_000).seconds(node()).orElseThrow();
        }

        private Queue queue(Queue queue) {
            return instead(
                    Queue.class,
                    queue,
                    Map.of(
                            "bind",
                            a ->
                                    timed(
                                            queue.bind(
                                                    node(),
                                                    buffers(a[1]),
                                                    buffers(a[2]),
                                                    (Buffer) a[3])),
                            "recorded",
                            a -> recorded((Runnable) a[0]),
                            "event",
                            _ -> new Moment()));
        }

        private Runnable timed(Runnable run) {
            return () -> {
                run.run();
                clock += KERNEL + (recording ? 0 : START);
            };
        }

        private Optional<Runnable> recorded(Runnable run) {
            if (!records) return Optional.empty();
            return Optional.of(
                    () -> {
                        recording = true;
                        run.run();
                        recording = false;
                        clock += START;
                    });
        }

        private final class Moment implements Queue.Event {
            private long at;

            @Override
            public void mark() {
                at = clock;
            }

            @Override
            public long nanos() {
                return at;
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static List<Buffer> buffers(Object list) {
        return (List<Buffer>) list;
    }

    /** {@code real} with these methods in the place of its own. */
    private static <T> T instead(
            Class<T> type, T real, Map<String, Function<Object[], Object>> of) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (_, method, arguments) -> {
                            var own = of.get(method.getName());
                            return own == null
                                    ? method.invoke(real, arguments)
                                    : own.apply(arguments);
                        }));
    }

    private static Node node() {
        var kernel =
                Kernel.Map.of(TYPE.shape(), List.of(View.contiguous(TYPE.shape())), Scalar.arg(0));
        return new Node(
                new Only(kernel),
                List.of(new Value(0, TYPE)),
                List.of(new Value(1, TYPE)),
                Region.TOP,
                false);
    }

    /** A kernel and nothing else. */
    private record Only(Kernel kernel) implements Op {
        @Override
        public String name() {
            return "only";
        }

        @Override
        public List<Type> infer(List<Type> inputs) {
            return inputs;
        }

        @Override
        public Kernel kernel(List<Type> inputs) {
            return kernel;
        }

        @Override
        public void pullback(Node node, Adjoints adjoints) {
            throw new IllegalStateException("a single kernel has no derivative");
        }
    }
}
