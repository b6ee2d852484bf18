package dev.ebb.cpu;

import dev.ebb.ir.AttentionShape;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

class AttentionTest {

    /**
     * With more products than this, only attention in tiles is tested, because the other code has
     * no tiles.
     */
    private static final long LARGE = 2_000_000;

    private static void check(AttentionShape h, int maskSize) {
        check(DType.F32, h, maskSize, 2e-5, true);
        boolean large = 1L * h.batch() * h.heads() * h.queries() * h.keys() * h.width() > LARGE;
        check(DType.BF16, h, maskSize, 1e-2, !large);
        if (!large) check(DType.F64, h, maskSize, 1e-12, true);
    }

    private static void check(
            DType type, AttentionShape h, int maskSize, double tolerance, boolean back) {
        var q = Type.of(type, h.batch(), h.heads(), h.queries(), h.width());
        var k = Type.of(type, h.batch(), h.keyHeads(), h.keys(), h.width());
        var v = Type.of(type, h.batch(), h.keyHeads(), h.keys(), h.valueWidth());
        var out = Type.of(type, h.batch(), h.heads(), h.queries(), h.valueWidth());
        var logsum = Type.of(type, h.batch(), h.heads(), h.queries());
        var in = new ArrayList<>(List.of(q, k, v));
        if (!h.mask().isEmpty()) in.add(Type.of(type, maskSize));
        new Parity(new Kernel.Attend(h), in, List.of(out, logsum)).agrees(tolerance);
        if (!back) return;
        in.addAll(List.of(out, out, logsum));
        new Parity(new Kernel.AttendGrad(h), in, List.of(q, k, v)).agrees(tolerance);
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1, 1, 1, 1, 1, 1", "2, 3, 3, 13, 13, 8, 8", "1, 2, 1, 64, 64, 64, 64",
                "1, 1, 1, 207, 131, 16, 40",
        "2, 4, 2, 65, 130, 33, 7", "1, 6, 2, 31, 3, 5, 64", "1, 1, 1, 0, 4, 8, 8",
                "1, 1, 1, 4, 0, 8, 8",
        "1, 1, 1, 70, 70, 300, 280", "1, 2, 1, 70, 700, 128, 128", "1, 1, 1, 301, 250, 64, 96"
    })
    void agreesOnAwkwardSizes(
            int batch, int heads, int keyHeads, int queries, int keys, int width, int valueWidth) {
        for (boolean causal : new boolean[] {false, true}) {
            check(
                    new AttentionShape(
                            batch,
                            heads,
                            keyHeads,
                            queries,
                            keys,
                            width,
                            valueWidth,
                            causal,
                            0.37,
                            List.of()),
                    0);
        }
    }

    @ParameterizedTest
    @CsvSource({"13, 13, false", "70, 129, true", "129, 70, true"})
    void addsTheMask(int queries, int keys, boolean causal) {
        var full = new View(0, List.of(0L, 0L, (long) keys, 1L));
        var padding = new View(0, List.of((long) keys, 0L, 0L, 1L));
        for (View mask : List.of(full, padding)) {
            check(
                    new AttentionShape(2, 2, 1, queries, keys, 16, 16, causal, 0.25, List.of(mask)),
                    queries * keys + keys);
        }
    }

    /**
     * One buffer of [batch, time, 3, heads, width] for q, k and v; results as [batch, time, ...],
     * each in a separate buffer or all in one as q, k and v are.
     */
    @ParameterizedTest
    @CsvSource({"2, 3, 13, 8", "1, 2, 70, 64", "2, 1, 65, 33"})
    void readsAndWritesWhereItIsTold(int batch, int heads, int time, int width) {
        var h =
                new AttentionShape(
                        batch, heads, heads, time, time, width, width, true, 0.3, List.of());
        long row = 3L * heads * width;
        var all = new ArrayList<View>();
        for (int i = 0; i < 3; i++) {
            long offset = (long) i * heads * width;
            all.add(new View(offset, List.of(time * row, (long) width, row, 1L)));
        }
        long out = (long) heads * width;
        var turned = new View(0, List.of(time * out, (long) width, out, 1L));
        for (DType type : List.of(DType.F32, DType.F64)) {
            var qkv = Type.of(type, batch, time, 3, heads, width);
            var result = Type.of(type, batch, time, heads, width);
            var logsum = Type.of(type, batch, heads, time);
            var in = List.of(qkv, qkv, qkv);
            double tolerance = type == DType.F32 ? 2e-5 : 1e-12;
            new Parity(new Kernel.Attend(h, all, turned), in, List.of(result, logsum))
                    .agrees(tolerance);
            var views = new ArrayList<>(all);
            views.addAll(List.of(turned, turned));
            var apart = IntStream.range(0, 3).mapToObj(i -> new Kernel.Place(i, turned)).toList();
            var side = all.stream().map(v -> new Kernel.Place(0, v)).toList();
            var read = List.of(qkv, qkv, qkv, result, result, logsum);
            new Parity(
                            new Kernel.AttendGrad(h, views, apart),
                            read,
                            List.of(result, result, result))
                    .agrees(tolerance);
            new Parity(new Kernel.AttendGrad(h, views, side), read, List.of(qkv)).agrees(tolerance);
        }
    }
}
