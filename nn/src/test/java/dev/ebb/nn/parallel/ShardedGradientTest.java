package dev.ebb.nn.parallel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.Ebb;
import dev.ebb.Fn2;
import dev.ebb.Fn3;
import dev.ebb.Tensorwise;
import dev.ebb.cpu.Cpu;
import dev.ebb.ir.Shape;
import dev.ebb.nn.Activation;
import dev.ebb.nn.Conv2d;
import dev.ebb.nn.Seed;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.nn.model.Mlp;
import dev.ebb.plan.schedule.Ways;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

class ShardedGradientTest {
    private static final Cpu CPU = new Cpu(2);

    private record Batch(Tensor x, Tensor y) {}

    private static final Fn3<Mlp, Batch, Key, Tensor> LOSS =
            (net, b, key) -> net.apply(b.x().dropout(0.3, key)).mseLoss(b.y());

    private static Array draws(int rows, int columns, Seed seed) {
        var values = new float[rows * columns];
        for (int i = 0; i < values.length; i++) values[i] = (float) seed.normal(i);
        return Array.of(Shape.of(rows, columns), values);
    }

    private static Mlp net(int width) {
        return Mlp.of(List.of(5, width, width, 3), Activation.GELU, new Seed(1));
    }

    private static Batch batch(int rows) {
        return new Batch(draws(rows, 5, new Seed(2)), draws(rows, 3, new Seed(3)));
    }

    private static Ebb.ValueAndGrad<Mlp> sharded(int shards, int cuts, Mlp net, Batch batch) {
        try (var f =
                Ebb.compile(
                                (Mlp m, Batch b) ->
                                        new ShardedGradient(shards, cuts)
                                                .valueAndGrad(LOSS, m, b, Key.of(7)))
                        .on(CPU)) {
            return f.apply(net, batch);
        }
    }

    private static List<float[]> floats(Object tree) {
        return Tensorwise.list(tree).stream().map(Tensor::toFloats).toList();
    }

    /** Each shard's gradient from a separate program, summed in Java level by level. */
    private static List<float[]> byHand(int shards, Mlp net, Batch batch) {
        var level = new ArrayList<List<float[]>>();
        int rows = batch.x().dim(0) / shards;
        try (var f =
                Ebb.compile(
                                (Mlp m, Batch b, Tensor key) ->
                                        Ebb.valueAndGrad((Mlp n) -> LOSS.apply(n, b, new Key(key)))
                                                .apply(m))
                        .on(CPU)) {
            var keys = Key.of(7).split(shards);
            for (int i = 0; i < shards; i++) {
                var part =
                        new Batch(rows(batch.x(), i * rows, rows), rows(batch.y(), i * rows, rows));
                level.add(floats(f.apply(net, part, keys.get(i).bits())));
            }
        }
        var leaves = List.copyOf(level);
        while (level.size() > 1) {
            var above = new ArrayList<List<float[]>>();
            for (int i = 0; i < level.size(); i += 2)
                above.add(
                        i + 1 < level.size() ? sum(level.get(i), level.get(i + 1)) : level.get(i));
            level = above;
        }
        // the order in which machines add their shards
        var tree = TreeSum.of(shards, leaves::get, ShardedGradientTest::sum);
        for (int t = 0; t < tree.size(); t++)
            assertThat(tree.get(t)).isEqualTo(level.getFirst().get(t));
        for (var t : level.getFirst()) for (int j = 0; j < t.length; j++) t[j] /= shards;
        return level.getFirst();
    }

    private static List<float[]> sum(List<float[]> a, List<float[]> b) {
        var sums = new ArrayList<float[]>();
        for (int t = 0; t < a.size(); t++) {
            var sum = new float[a.get(t).length];
            for (int j = 0; j < sum.length; j++) sum[j] = a.get(t)[j] + b.get(t)[j];
            sums.add(sum);
        }
        return sums;
    }

    private static Array rows(Tensor t, int from, int count) {
        int width = t.dim(1);
        var all = t.toFloats();
        var part = new float[count * width];
        System.arraycopy(all, from * width, part, 0, part.length);
        return Array.of(Shape.of(count, width), part);
    }

    @Test
    void everyCutGivesTheBitsOfShardsSummedInPairs() {
        var net = net(16);
        var batch = batch(24);
        var expected = byHand(8, net, batch);
        for (int cuts = 1; cuts <= 8; cuts *= 2) {
            var found = floats(sharded(8, cuts, net, batch));
            for (int t = 0; t < expected.size(); t++)
                assertThat(found.get(t))
                        .as("tensor %d in %d cuts", t, cuts)
                        .isEqualTo(expected.get(t));
        }
    }

    /** Six shards in three groups of two, and each separately, with sums instead of means. */
    @Test
    void shardsThatAreNoPowerOfTwoToo() {
        var net = net(16);
        var batch = batch(24);
        var expected = byHand(6, net, batch);
        for (int cuts : new int[] {3, 6}) {
            var found = floats(sharded(6, cuts, net, batch));
            for (int t = 0; t < expected.size(); t++)
                assertThat(found.get(t)).as("in %d cuts", cuts).isEqualTo(expected.get(t));
        }
    }

    private static <M> void sameAtEveryCut(Fn2<M, Batch, Tensor> loss, M model, Batch batch) {
        var all = new ArrayList<List<float[]>>();
        for (int cuts = 1; cuts <= 4; cuts *= 2) {
            var sharded = new ShardedGradient(4, cuts);
            try (var f = Ebb.compile((M m, Batch b) -> sharded.valueAndGrad(loss, m, b)).on(CPU)) {
                all.add(floats(f.apply(model, batch)));
            }
        }
        for (int t = 0; t < all.getFirst().size(); t++) {
            assertThat(all.get(1).get(t)).as("tensor %d", t).isEqualTo(all.get(0).get(t));
            assertThat(all.get(2).get(t)).as("tensor %d", t).isEqualTo(all.get(0).get(t));
        }
    }

    @Test
    void textAndPicturesToo() {
        var ids = new int[8 * 12];
        for (int i = 0; i < ids.length; i++) ids[i] = (int) new Seed(5).below(20, i);
        var text = new Batch(Array.of(Shape.of(8, 12), ids), Array.of(Shape.of(8, 12), ids));
        sameAtEveryCut(
                (Gpt2 m, Batch b) -> m.loss(b.x(), b.y()),
                Gpt2.of(Gpt2.Config.of(20, 12, 16, 1, 2), new Seed(6)),
                text);
        var pictures = draws(8, 2 * 8 * 8, new Seed(7));
        sameAtEveryCut(
                (Conv2d c, Batch b) ->
                        c.apply(b.x().reshape(b.x().dim(0), 2, 8, 8)).relu().square().mean(),
                Conv2d.same(2, 3, 3, new Seed(8)),
                new Batch(pictures, pictures));
    }

    @Test
    void cutsTakeLessMemoryThanComputingAgainCanReach() {
        var net = net(32);
        var batch = batch(512);
        var least = new ArrayList<Long>();
        for (int cuts = 1; cuts <= 16; cuts *= 4) {
            var sharded = new ShardedGradient(16, cuts);
            try (var f =
                    Ebb.compile((Mlp m, Batch b) -> sharded.valueAndGrad(LOSS, m, b, Key.of(7)))
                            .on(CPU)) {
                least.add(f.plan(net, batch).leastBytes());
            }
        }
        long whole;
        try (var f =
                Ebb.compile(
                                (Mlp m, Batch b) ->
                                        Ebb.valueAndGrad((Mlp n) -> LOSS.apply(n, b, Key.of(7)))
                                                .apply(m))
                        .only(Ways.recomputing())
                        .on(CPU)) {
            whole = f.plan(net, batch).leastBytes();
        }
        assertThat(least.get(2)).as("%s beside %d", least, whole).isLessThan(whole / 2);
    }

    @Test
    void shardsAreChosenByTheBatchAlone() {
        assertThat(List.of(1, 6, 24, 64, 100, 96).stream().map(ShardedGradient::finest))
                .containsExactly(1, 2, 8, 16, 4, 16);
    }

    @Test
    void whatDoesNotDivideIsRefused() {
        assertThatThrownBy(() -> new ShardedGradient(6, 2)).hasMessageContaining("powers of two");
        assertThatThrownBy(() -> new ShardedGradient(4, 8)).hasMessageContaining("no more cuts");
        assertThatThrownBy(() -> sharded(8, 2, net(4), batch(12)))
                .hasMessageContaining("does not divide into 8 shards");
    }
}
