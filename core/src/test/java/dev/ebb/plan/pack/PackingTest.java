package dev.ebb.plan.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.plan.Budget;
import dev.ebb.plan.Curve;
import dev.ebb.plan.StoreAll;
import dev.ebb.plan.schedule.Layout;
import dev.ebb.plan.schedule.Schedule;
import dev.ebb.plan.search.Toy;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Random;

class PackingTest {

    @Test
    void realisticSchedulesPackTightly() {
        for (var problem :
                List.of(Toy.transformerStep(6, 256, 64), Toy.unet(5, 1 << 14), Toy.mlp(20, 1024))) {
            var curve = new Curve(problem, Toy.COST, Curve.Measure.ARENA);
            long all = curve.storeAllBytes();
            long least = curve.leastBytes();
            for (int k = 0; k <= 7; k++) {
                var plan = curve.at(Budget.bytes(all - (all - least) * k / 8));
                long peak = plan.schedule().footprint().peakBytes();
                assertThat(plan.layout().arenaBytes()).isLessThanOrEqualTo(peak + peak / 50);
            }
        }
    }

    @Test
    void manyBuffersPackFast() {
        int n = 20_000;
        var random = new Random(3);
        var from = new int[n];
        var to = new int[n];
        var bytes = new long[n];
        for (int i = 0; i < n; i++) {
            from[i] = i;
            to[i] = i + 1 + (random.nextInt(10) == 0 ? random.nextInt(2000) : random.nextInt(12));
            bytes[i] = 64L * (1 + random.nextInt(100));
        }
        var packing = Packing.of(from, to, bytes);
        assertThat(packing.arena()).isLessThanOrEqualTo(packing.floor() * 103 / 100);
    }

    @Test
    void ejectionPacksWhatOrdersCannot() {
        int n = 300;
        var random = new Random(5);
        var from = new int[n];
        var to = new int[n];
        var bytes = new long[n];
        for (int i = 0; i < n; i++) {
            from[i] = i;
            to[i] = i + 2 + random.nextInt(random.nextInt(6) == 0 ? 200 : 8);
            bytes[i] = Schedule.ALIGNMENT * (1 + random.nextInt(i % 3 == 0 ? 4 : 400));
        }
        var packing = Packing.of(from, to, bytes);
        assertThat(packing.arena()).isLessThanOrEqualTo(packing.floor() * 102 / 100);
        for (int i = 0; i < n; i++) {
            long start = packing.offsets()[i];
            assertThat(start % Schedule.ALIGNMENT).isZero();
            assertThat(start).isBetween(0L, packing.arena() - bytes[i]);
            for (int j = 0; j < i; j++) {
                boolean together = from[i] < to[j] && from[j] < to[i];
                long other = packing.offsets()[j];
                if (together && start < other + bytes[j]) {
                    assertThat(start + bytes[i]).isLessThanOrEqualTo(other);
                }
            }
        }
    }

    /** Weights leave and gradients come, layer by layer; each layer peaks in between. */
    @Test
    void theRoomBetweenWeightsAndGradientsStaysInOnePiece() {
        var from = new int[] {-1, -1, -1, 3, 5, 7, 4, 6, 8};
        var to = new int[] {5, 7, 9, 10, 10, 10, 5, 7, 9};
        var bytes = new long[] {20, 20, 20, 20, 20, 20, 35, 35, 35};
        var piles = new TwoEndedPacking(from, to, bytes, 0);
        // each peak fills all: its large buffer has just the room that is left
        assertThat(piles.fit(115, 10_000)).isTrue();
        var at = piles.offsets();
        for (int i = 0; i < at.length; i++) {
            assertThat(at[i]).isBetween(0L, 115 - bytes[i]);
            for (int j = 0; j < i; j++) {
                boolean together = from[i] < to[j] && from[j] < to[i];
                boolean apart = at[i] + bytes[i] <= at[j] || at[j] + bytes[j] <= at[i];
                assertThat(apart || !together).as("%d and %d", i, j).isTrue();
            }
        }
    }

    /** The last lives while the room slides past it, and the room is needed on both sides of it. */
    @Test
    void theRoomGoesAroundWhatIsInItsWay() {
        int layers = 8;
        int n = 4 * layers + 1;
        var from = new int[n];
        var to = new int[n];
        var bytes = new long[n];
        for (int k = 0; k < layers; k++) {
            int start = 10 * k;
            set(from, to, bytes, 4 * k, -1, start + 6, 40);
            set(from, to, bytes, 4 * k + 1, start + 4, 10 * layers, 40);
            set(from, to, bytes, 4 * k + 2, start + 4, start + 6, 30);
            set(from, to, bytes, 4 * k + 3, start + 5, start + 8, 20);
        }
        set(from, to, bytes, n - 1, 12, 37, 10);
        var packing = Packing.of(from, to, bytes);
        assertThat(packing.arena()).isEqualTo(packing.floor());
    }

    private static void set(
            int[] from, int[] to, long[] bytes, int i, int start, int stop, long size) {
        from[i] = start;
        to[i] = stop;
        bytes[i] = size * Schedule.ALIGNMENT;
    }

    @Test
    void whatCannotFitIsLeftOut() {
        var from = new int[] {0, 0};
        var to = new int[] {2, 1};
        var bytes = new long[] {60, 50};
        var piles = new TwoEndedPacking(from, to, bytes, 0);
        assertThat(piles.fit(100, 10_000)).isFalse();
        assertThat(piles.offsets()).containsExactly(0, 100);
    }

    @Test
    void twoLivingBuffersMayNotShareMemory() {
        var schedule = new StoreAll().plan(Toy.mlp(2, 256), Toy.COST);
        var good = Layout.of(schedule);
        var bad =
                good.slots().stream()
                        .map(s -> new Layout.Slot(s.stays(), s.from(), s.to(), 0, s.bytes()))
                        .toList();
        assertThatThrownBy(() -> new Layout(schedule, bad, good.arenaBytes(), good.places()))
                .hasMessageContaining("share memory");
    }
}
