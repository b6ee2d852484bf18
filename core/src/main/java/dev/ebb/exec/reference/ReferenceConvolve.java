package dev.ebb.exec.reference;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Shape;

import java.util.ArrayList;
import java.util.List;

/**
 * Convolution by its definition: every product of an input, a weight and an output element is
 * visited once.
 */
final class ReferenceConvolve {
    private ReferenceConvolve() {}

    static void run(Kernel.Convolve k, List<Buffer> in, Buffer out) {
        var left = ReferenceLoops.numbers(in.get(0));
        var right = ReferenceLoops.numbers(in.get(1));
        var sums = new double[Math.toIntExact(out.size())];
        var dims = new ArrayList<>(List.of(k.batch(), k.groups(), k.outChannels(), k.inChannels()));
        dims.addAll(k.out());
        dims.addAll(k.kernel());
        int rank = k.in().size();
        for (var w = new IndexWalk(new Shape(dims), List.of()); w.inside(); w.next()) {
            int b = w.index[0];
            int g = w.index[1];
            int o = w.index[2];
            int c = w.index[3];
            long input = (long) b * k.groups() * k.inChannels() + (long) g * k.inChannels() + c;
            long weight = ((long) g * k.outChannels() + o) * k.inChannels() + c;
            long output = (long) b * k.groups() * k.outChannels() + (long) g * k.outChannels() + o;
            boolean inside = true;
            for (int d = 0; d < rank; d++) {
                int y = w.index[4 + d];
                int t = w.index[4 + rank + d];
                int x = y * k.stride().get(d) + t * k.dilation().get(d) - k.low().get(d);
                inside &= x >= 0 && x < k.in().get(d);
                input = input * k.in().get(d) + x;
                weight = weight * k.kernel().get(d) + t;
                output = output * k.out().get(d) + y;
            }
            if (!inside) continue;
            switch (k.side()) {
                case OUTPUT -> sums[(int) output] += left[(int) input] * right[(int) weight];
                case INPUT -> sums[(int) input] += left[(int) weight] * right[(int) output];
                case WEIGHT -> sums[(int) weight] += left[(int) input] * right[(int) output];
            }
        }
        for (int i = 0; i < sums.length; i++) out.set(i, sums[i]);
    }
}
