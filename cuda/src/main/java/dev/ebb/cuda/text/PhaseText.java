package dev.ebb.cuda.text;

import dev.ebb.cuda.recipe.Action;
import dev.ebb.cuda.recipe.Operand;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;

import java.util.List;
import java.util.Optional;

/**
 * Combines the phases of a stride into one result. Each phase is separate, [images and channels,
 * positions]; phases that no tap reaches are zeros. Whole rows are written, whatever the order of
 * the phases in them.
 */
final class PhaseText {
    private static final int THREADS = 256;

    private PhaseText() {}

    /**
     * @param phases in the order of {@link ConvolutionAxes#phases}
     * @param regions where each is stored, none if it is all zeros
     */
    static Action together(
            Kernel.Convolve k,
            DType type,
            List<ConvolutionAxes> phases,
            List<Optional<Operand.Work>> regions) {
        var first = phases.getFirst().axes();
        int inner = first.get(2).result();
        int row = first.get(1).result();
        long size = ConvolutionAxes.size(k.in());
        long elements = (long) k.batch() * k.groups() * k.inChannels() * size;
        int width = 16 / (int) type.bytes(1);
        while (inner % width != 0) width /= 2;
        var t = CudaSyntax.stored(type);
        var code = new SourceLines();
        MapText.open(code, "phases", THREADS, 2, true);
        code.add("const num at = ((num)blockIdx.x * %d + threadIdx.x) * %d;", THREADS, width);
        code.add("if (at >= %d) return;", elements);
        code.add("const num picture = at / %d;", size);
        code.add("const int y0 = (int)(at / %d %% %d);", (long) row * inner, size / row / inner);
        code.add("const int y1 = (int)(at / %d %% %d);", inner, row);
        code.add("Pack<%s, %d> pack;", t, width);
        code.add("#pragma unroll");
        code.open("for (int e = 0; e < %d; e++)", width);
        code.add("const int y2 = (int)(at %% %d) + e;", inner);
        code.add("%s x{};", t);
        code.open(
                "switch ((y0 %% %d * %d + y1 %% %d) * %d + y2 %% %d)",
                first.get(0).stride(),
                first.get(1).stride(),
                first.get(1).stride(),
                first.get(2).stride(),
                first.get(2).stride());
        for (int i = 0; i < phases.size(); i++) {
            if (regions.get(i).isEmpty()) continue;
            var p = phases.get(i).axes();
            code.add("case %d:", i);
            code.add(
                    "    x = ((const %s*)((const u8*)p0 + %dLL))[((picture * %d + y0 / %d) * %d +"
                            + " y1 / %d) * %d + y2 / %d];",
                    t,
                    regions.get(i).get().offset(),
                    p.get(0).positions(),
                    p.get(0).stride(),
                    p.get(1).positions(),
                    p.get(1).stride(),
                    p.get(2).positions(),
                    p.get(2).stride());
            code.add("    break;");
        }
        code.close();
        code.add("pack.at[e] = x;");
        code.close();
        code.add("store<%d>((%s*)p1 + at, pack);", width, t);
        code.close();
        return MapText.launch(
                code,
                "phases",
                elements / width,
                THREADS,
                List.of(new Operand.Work(0), new Operand.Out(0)));
    }
}
