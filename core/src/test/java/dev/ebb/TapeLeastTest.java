package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.exec.reference.Reference;
import dev.ebb.plan.Budget;
import dev.ebb.plan.OverBudgetException;
import dev.ebb.reference.Guarded;
import dev.ebb.reference.RemoteDevice;
import dev.ebb.reference.Trial;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.function.Function;

/** The least budget that a tape names: it is enough, and one byte less is refused with it. */
class TapeLeastTest {
    @TempDir Path folder;

    private static OptionalLong refused(Function<Tape, Array> program, long budget) {
        try (var tape = new Tape(Budget.bytes(budget), Devices.best())) {
            var _ = program.apply(tape);
            return OptionalLong.empty();
        } catch (OverBudgetException e) {
            return OptionalLong.of(e.leastBytes());
        }
    }

    /** The least of a program that reads data once. */
    private static long least(Function<Tape, Array> program) {
        long least = refused(program, 1).orElseThrow();
        assertThat(refused(program, least)).isEmpty();
        assertThat(refused(program, least - 1)).hasValue(least);
        assertThat(refused(program, least / 2)).hasValue(least);
        return least;
    }

    private static Tensor chain(Tensor x, int length) {
        Tensor h = x;
        for (int i = 0; i < length; i++) h = h.mul(x).sin();
        return h;
    }

    @Test
    void itCoversTheWholeSweepAndDerivativesOfIt() {
        Function<Tape, Array> first =
                tape -> {
                    var x = tape.watch(Array.of(0.3, 0.8));
                    return tape.array(tape.gradient(chain(x, 50).sum(), x));
                };
        Function<Tape, Array> second =
                tape -> {
                    var x = tape.watch(Array.of(0.3, 0.8));
                    var g = tape.gradient(chain(x, 20).sum(), x);
                    return tape.array(tape.gradient(g.square().sum(), x));
                };
        assertThat(least(first)).isLessThan(20 * 64);
        assertThat(least(second)).isGreaterThan(least(first));
    }

    /** A reverse loop works in what room there is; how many iterations were run is data. */
    @Test
    void itCoversLoops() {
        Function<Tape, Array> program =
                tape -> {
                    var x = tape.watch(Array.of(0.3, 0.8));
                    var a = Loop.repeat(30, x, c -> c.mul(x).sin().add(x));
                    var b =
                            Loop.whileTrue(
                                    100, a, c -> c.sum().gt(c.literal(0.5)), c -> c.mul(0.9).sin());
                    return tape.array(tape.gradient(b.mul(a).sum(), x));
                };
        assertThat(least(program)).isPositive();
    }

    @Test
    void anOpThatFailedNeedsNothingLater() {
        Function<Tape, Array> program =
                tape -> {
                    var x = tape.watch(Array.of(0.3, 0.8));
                    var y = chain(x, 10);
                    try {
                        var _ = y.indexSelect(0, Array.of(5));
                    } catch (IndexOutOfBoundsException | IllegalArgumentException _) {
                        // the tape goes on
                    }
                    return tape.array(tape.gradient(y.mul(x).sum(), x));
                };
        assertThat(least(program)).isPositive();
    }

    @Test
    void whatWasComputedBeforeARefusalCanBeRead() {
        try (var tape = new Tape(Budget.bytes(6 * 64), Devices.best())) {
            var x = tape.watch(Array.of(0.3, 0.8));
            var y = x.sin();
            var wide = tape.watch(Array.of(new double[100]));
            var sum = wide.sum().add(y);
            assertThatThrownBy(() -> tape.array(sum)).hasMessageContaining("from outside needs");
            assertThat(tape.array(y).toDoubles()).containsExactly(Math.sin(0.3), Math.sin(0.8));
            assertThatThrownBy(() -> tape.array(y.add(sum)))
                    .isInstanceOf(OverBudgetException.class);
        }
    }

    @Test
    void aTapeThatNobodyReadsTellsWhenItIsClosed() {
        var tape = new Tape(Budget.bytes(64), Devices.best());
        assertThat(tape.watch(Array.of(0.3, 0.8)).sin().rank()).isEqualTo(1);
        assertThatThrownBy(tape::close)
                .isInstanceOfSatisfying(
                        OverBudgetException.class,
                        e -> assertThat(e.leastBytes()).isEqualTo(2 * 64));
        tape.close();
    }

    /**
     * Networks whose ops have several outputs, of which some are gone and some are there when the
     * op runs again: those that are there must stay while it does.
     */
    @ParameterizedTest
    @ValueSource(longs = {448, 709, 1513, 2402, 3513, 4097})
    void sameBitsInTheLeastBudget(long seed) {
        var device = RemoteDevice.like(Devices.best(), new Guarded(new Reference(), 0x5a));
        assertThat(new Trial(seed, new Reference(), device, folder).run())
                .isEqualTo(Trial.Way.TAPE);
    }

    /**
     * A gradient that a sweep carries along and that one node makes again: it goes where nothing
     * else may, so that budgets above the least are not refused for it.
     */
    @Test
    void moreThanTheLeastIsEnoughToo() {
        var device = RemoteDevice.like(Devices.best(), new Guarded(new Reference(), 0xa5));
        assertThat(new Trial(3250, true, new Reference(), device, folder).run())
                .isEqualTo(Trial.Way.TAPE);
    }
}
