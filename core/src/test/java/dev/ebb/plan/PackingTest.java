package dev.ebb.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Random;

class PackingTest {

    @Test
    void realisticSchedulesPackTightly() {
        for (var problem :
                List.of(Toy.transformerStep(6, 256, 64), Toy.unet(5, 1 << 14), Toy.mlp(20, 1024))) {
            var curve = new Curve(problem, Toy.COST);
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
        var from = new int[] {-1, -1, -1, 3, 4, 6, 2};
        var to = new int[] {5, 7, 9, 10, 10, 10, 3};
        var bytes = new long[] {30, 20, 10, 10, 30, 20, 5};
        long room = 100;
        assertThat(Stacks.of(from, to, bytes, room)).containsExactly(40, 70, 90, 0, 10, 40, room);
    }

    @Test
    void whatWouldMeetTheOtherStackIsInNone() {
        var from = new int[] {-1, 2, 6};
        var to = new int[] {5, 9, 9};
        var bytes = new long[] {60, 50, 50};
        assertThat(Stacks.of(from, to, bytes, 100)).containsExactly(40, 100, 0);
    }

    @Test
    void twoLivingBuffersMayNotShareMemory() {
        var schedule = new StoreAll().plan(Toy.mlp(2, 256), Toy.COST);
        var good = Layout.of(schedule);
        var bad =
                good.slots().stream()
                        .map(s -> new Layout.Slot(s.stays(), s.from(), s.to(), 0, s.bytes()))
                        .toList();
        assertThatThrownBy(() -> new Layout(schedule, bad, good.arenaBytes(), good.shelves()))
                .hasMessageContaining("share memory");
    }
}
