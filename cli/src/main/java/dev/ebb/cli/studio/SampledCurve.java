package dev.ebb.cli.studio;

import dev.ebb.nn.file.Json;

import java.util.ArrayList;
import java.util.List;

/**
 * A curve of a run in bounded memory: when it is full, every other point is dropped, and from then
 * on only every other new point is added.
 */
final class SampledCurve {
    static final int MOST = 2048;

    private final List<long[]> points = new ArrayList<>();
    private long stride = 1;

    synchronized void add(long step, double value) {
        if (step % stride != 0) return;
        points.add(new long[] {step, Double.doubleToRawLongBits(value)});
        if (points.size() < MOST) return;
        stride *= 2;
        points.removeIf(p -> p[0] % stride != 0);
    }

    synchronized Json json() {
        var all = new ArrayList<Json>(points.size());
        for (var p : points)
            all.add(Json.of(List.of(Json.of(p[0]), Json.of(Double.longBitsToDouble(p[1])))));
        return Json.of(all);
    }
}
