package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.exec.Device;
import dev.ebb.exec.HostPool;
import dev.ebb.exec.PlaceException;
import dev.ebb.exec.Queue;
import dev.ebb.ir.Memory;
import dev.ebb.ir.Shape;
import dev.ebb.plan.Budget;
import dev.ebb.plan.OverBudgetException;
import dev.ebb.plan.schedule.Disk;
import dev.ebb.plan.schedule.Host;
import dev.ebb.plan.schedule.Place;
import dev.ebb.plan.schedule.Speed;
import dev.ebb.plan.schedule.Step;
import dev.ebb.plan.schedule.Way;
import dev.ebb.plan.schedule.Ways;
import dev.ebb.reference.Checker;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Several places outside the arena at once. */
class PlacesTest {
    /** A transfer of a matrix takes about as long as a product, so that it is worth weighing. */
    private static final Speed NEAR = new Speed(4e9, 4e9, 1e-7);

    private static final Speed FAR = new Speed(5e8, 1e9, 1e-6);

    @TempDir Path folder;

    private record Net(List<Tensor> weights) {}

    private static Array noise(Random random) {
        var data = new double[32 * 32];
        for (int i = 0; i < data.length; i++) data[i] = random.nextGaussian() / 8;
        return Array.of(Shape.of(32, 32), data);
    }

    private static Net net() {
        var random = new Random(7);
        return new Net(Stream.generate(() -> (Tensor) noise(random)).limit(6).toList());
    }

    private static Fn<Net, Ebb.ValueAndGrad<Net>> gradient() {
        var x = noise(new Random(3));
        return Ebb.valueAndGrad(net -> loss(net, x));
    }

    private Host host(long bytes) {
        return new Host(Host.Kind.PAGEABLE, bytes, NEAR);
    }

    private Disk disk(long bytes) {
        return new Disk(folder, bytes, FAR);
    }

    private static void assertSameBits(Object a, Object b) {
        var left = Tensorwise.list(a);
        var right = Tensorwise.list(b);
        for (int i = 0; i < left.size(); i++) {
            var l = ((Array) left.get(i)).data().segment();
            assertThat(l.mismatch(((Array) right.get(i)).data().segment())).isEqualTo(-1);
        }
    }

    /** One for all tests, so that what one has searched for the next ones know. */
    private static final Compiled<Net, Ebb.ValueAndGrad<Net>> GRADIENT =
            Ebb.compile(gradient()).on(Devices.best());

    private static Compiled<Net, Ebb.ValueAndGrad<Net>> compiled(
            Budget memory, List<Place> places) {
        return GRADIENT.within(new Budget.WithPlaces(memory, places));
    }

    @Test
    void eachKeepsItsPromiseAndMorePlacesAreNeverSlower() {
        var host = host(48 << 10);
        var disk = disk(1 << 20);
        var selections =
                List.<List<Place>>of(List.of(), List.of(host), List.of(disk), List.of(host, disk));
        Ebb.ValueAndGrad<Net> expected;
        try (var all = Ebb.compile(gradient()).on(Devices.best())) {
            expected = all.apply(net());
        }
        long most = compiled(Budget.unlimited(), List.of()).plan(net()).storeAllBytes();
        var used = new ArrayList<Place>();
        for (double share : new double[] {0.8, 0.55, 0.4}) {
            var memory = Budget.bytes((long) (share * most));
            var costs = new ArrayList<Double>();
            for (var places : selections) {
                try (var some = compiled(memory, places)) {
                    costs.add(some.plan(net()).cost());
                    if (places.size() < 2) continue;
                    assertSameBits(some.apply(net()), expected);
                    var report = some.report();
                    assertThat(report.measuredBytes())
                            .isEqualTo(report.promisedBytes())
                            .isLessThanOrEqualTo(memory.resolve(0));
                    for (var there : report.places()) {
                        assertThat(there.measuredBytes())
                                .isEqualTo(there.promisedBytes())
                                .isLessThanOrEqualTo(there.place().bytes());
                        if (there.measuredBytes() > 0) used.add(there.place());
                    }
                    Checker.check(some.plan(net()).layout(), _ -> 1);
                } catch (OverBudgetException e) {
                    costs.add(Double.POSITIVE_INFINITY);
                }
            }
            for (double cost : costs) assertThat(costs.getLast()).isLessThanOrEqualTo(cost);
        }
        assertThat(used).contains(host, disk);
    }

    @Test
    void aByteLessInAnyPlaceIsRespected() {
        long least = compiled(Budget.unlimited(), List.of()).plan(net()).leastBytes();
        var memory = Budget.bytes((long) (0.7 * least));
        var full = compiled(memory, List.of(host(48 << 10), disk(1 << 20))).plan(net());
        for (var there : full.layout().places()) {
            if (there.bytes() == 0) continue;
            var less = new ArrayList<Place>();
            for (var place : full.schedule().problem().places()) {
                long room = place.equals(there.place()) ? there.bytes() - 1 : place.bytes();
                less.add(place instanceof Host ? host(room) : disk(room));
            }
            try (var some = compiled(memory, less)) {
                some.apply(net());
                for (var found : some.report().places())
                    assertThat(found.measuredBytes()).isLessThanOrEqualTo(found.place().bytes());
            } catch (OverBudgetException e) {
                assertThat(e).hasMessageContaining(there.place().name());
            }
        }
    }

    private static Tensor loss(Net net, Tensor x) {
        Tensor h = x;
        for (var w : net.weights()) h = h.add(h.matmul(w).tanh());
        return h.square().mean();
    }

    @Test
    void stateStartsAndEndsInAnyPlace() {
        Fn2<Net, Tensor, Next<Net, Tensor>> step =
                (net, x) -> {
                    var seen = Ebb.valueAndGrad((Net n) -> loss(n, x)).apply(net);
                    return new Next<>(
                            Tensorwise.map(net, seen.grad(), (w, g) -> w.sub(g.mul(0.1))),
                            seen.value());
                };
        var x = noise(new Random(3));
        var all = Ebb.stepper(step).on(Devices.best());
        for (var places :
                List.<List<Place>>of(
                        List.of(host(1 << 20)),
                        List.of(host(16 << 10), disk(1 << 20)),
                        // neither holds all of the state
                        List.of(host(40 << 10), disk(40 << 10)))) {
            try (var plain = all.start(net(), x)) {
                var memory = Budget.bytes((long) (0.6 * plain.plan().leastBytes()));
                var budget = new Budget.WithPlaces(memory, places);
                try (var away = all.within(budget).start(net(), x)) {
                    for (int i = 0; i < 3; i++) assertSameBits(away.step(x), plain.step(x));
                    assertSameBits(away.state(), plain.state());
                    assertThat(away.plan().schedule().away()).isNotEmpty();
                    Checker.check(away.plan().layout(), _ -> 1);
                    for (var there : away.report().places())
                        assertThat(there.measuredBytes())
                                .isEqualTo(there.promisedBytes())
                                .isLessThanOrEqualTo(there.place().bytes());
                }
            }
        }
    }

    @Test
    void eachPlaceIsALineOfTheCurveAndMayBeLeftOut() {
        var both =
                new Budget.WithPlaces(Budget.unlimited(), List.of(host(48 << 10), disk(1 << 20)));
        var all = GRADIENT.within(both);
        assertThat(all.curve(net()).lines().stream().map(l -> l.ways().toString()))
                .containsExactly(
                        "recompute", "recompute + host memory", "recompute + host memory + disk");
        var some = GRADIENT.within(both).only(Ways.of(Way.HOST)).plan(net());
        assertThat(some.schedule().problem().places()).hasSize(1);
    }

    @Test
    void statesOfALoopMayLieInAnyPlace() {
        Fn<Tensor, Tensor> f =
                v -> Loop.repeat(200, v, c -> c.add(c.mul(c).mul(-0.001)).sin()).sum();
        var data = new double[500];
        for (int i = 0; i < data.length; i++) data[i] = Math.sin(i);
        var x = Array.of(data);
        var fast = new Speed(1e11, 1e11, 1e-9);
        var slow = new Disk(folder, 1 << 20, new Speed(1e3, 1e3, 1));
        var near = new Host(Host.Kind.PAGEABLE, 100 << 10, fast);
        var memory = Budget.bytes(60_000);
        Array expected;
        try (var all = Ebb.compile(Ebb.grad(f)).on(Devices.best())) {
            expected = (Array) all.apply(x);
        }
        for (var places : List.of(List.<Place>of(near, slow), List.<Place>of(slow, near))) {
            try (var grad =
                    Ebb.compile(Ebb.grad(f))
                            .on(Devices.best())
                            .within(new Budget.WithPlaces(memory, places))) {
                assertThat(((Array) grad.apply(x)).sameBits(expected)).isTrue();
                for (var there : grad.report().places()) {
                    assertThat(there.measuredBytes()).isEqualTo(there.promisedBytes());
                    assertThat(there.measuredBytes() > 0).isEqualTo(there.place().equals(near));
                }
            }
        }
    }

    @Test
    void aLoopIsNeverSlowerWithMorePlaces() {
        Fn<Tensor, Tensor> f =
                v -> Loop.repeat(40, v, c -> c.add(c.mul(c).mul(-0.001)).sin().tanh()).sum();
        var x = Array.of(new double[600]);
        var selections =
                List.<List<Place>>of(
                        List.of(),
                        List.of(host(20 << 10)),
                        List.of(disk(1 << 20)),
                        List.of(host(20 << 10), disk(1 << 20)));
        try (var all = Ebb.compile(Ebb.grad(f)).on(Devices.best())) {
            long least = all.plan(x).leastBytes();
            for (long bytes = least; bytes < 8 * least; bytes += bytes / 3) {
                var costs = new ArrayList<Double>();
                for (var places : selections) {
                    var budget = new Budget.WithPlaces(Budget.bytes(bytes), places);
                    costs.add(all.within(budget).plan(x).cost());
                }
                for (double cost : costs)
                    assertThat(costs.getLast())
                            .as("%d bytes: %s", bytes, costs)
                            .isLessThanOrEqualTo(cost);
            }
        }
    }

    /** The device, whose pools of host memory fail in some way. */
    private static Device failing(HostPool pool) {
        return wrapped(
                Device.class,
                Devices.best(),
                (name, made) ->
                        name.equals("open")
                                ? wrapped(
                                        Queue.class,
                                        (Queue) made,
                                        (n, of) -> n.equals("hostPool") ? pool : of)
                                : made);
    }

    private interface Change {
        Object of(String method, Object result);
    }

    private static <T> T wrapped(Class<T> type, T real, Change change) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (_, method, arguments) -> {
                            try {
                                return change.of(method.getName(), method.invoke(real, arguments));
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        }));
    }

    @Test
    void aPlaceThatFailsEndsTheRunInWords() {
        long least = compiled(Budget.unlimited(), List.of()).plan(net()).leastBytes();
        var budget = Budget.bytes((long) (0.7 * least)).with(host(1 << 20));
        for (boolean storing : new boolean[] {true, false}) {
            var pool =
                    new HostPool() {
                        @Override
                        public void store(Memory from, Queue.Event ready, long offset) {
                            if (storing) throw new IllegalStateException("the card is gone");
                        }

                        @Override
                        public void load(long offset, Memory to, Queue.Event ready) {
                            throw new IllegalStateException("the card is gone");
                        }

                        @Override
                        public void close() {}
                    };
            try (var f = Ebb.compile(gradient()).on(failing(pool)).within(budget)) {
                assertThatThrownBy(() -> f.apply(net()))
                        .isInstanceOf(PlaceException.class)
                        .hasMessageContaining("in host memory")
                        .hasMessageContaining("the card is gone")
                        .hasMessageContaining("ended without a result");
            }
        }
    }

    @Test
    void aPlaceThatCannotBeHadOrIsTooSmallIsNamed() {
        long least = compiled(Budget.unlimited(), List.of()).plan(net()).leastBytes();
        var memory = Budget.bytes((long) (0.7 * least));
        var nowhere = new Disk(folder.resolve("nowhere"), 1 << 20, FAR);
        try (var f = compiled(memory, List.of(host(8 << 10), nowhere))) {
            assertThatThrownBy(() -> f.apply(net()))
                    .isInstanceOf(PlaceException.class)
                    .hasMessageContaining("no file can be made")
                    .hasMessageContaining(nowhere.name());
        }
        assertThatThrownBy(() -> compiled(memory, List.of(host(4096), disk(4096))).plan(net()))
                .isInstanceOf(OverBudgetException.class)
                .hasMessageContaining("host memory holds 4096 bytes")
                .hasMessageContaining("disk " + folder + " holds 4096 bytes");
        assertThatThrownBy(() -> memory.with(disk(9)).with(disk(9)))
                .hasMessageContaining("each place once");
        assertThatThrownBy(() -> Host.memory(0)).hasMessageContaining("must be positive, not 0");
    }

    @Test
    void stepsNameTheirPlaces() {
        long least = compiled(Budget.unlimited(), List.of()).plan(net()).leastBytes();
        var plan =
                compiled(Budget.bytes((long) (0.6 * least)), List.of(host(48 << 10), disk(1 << 20)))
                        .plan(net());
        assertThat(plan.schedule().steps())
                .anyMatch(s -> s instanceof Step.Fetch f && f.place() instanceof Host)
                .anyMatch(s -> s instanceof Step.Fetch f && f.place() instanceof Disk);
        assertThat(plan.explain()).contains("to host memory;", "to disk " + folder + ";");
    }
}
