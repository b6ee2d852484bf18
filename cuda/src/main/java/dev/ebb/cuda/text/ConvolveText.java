package dev.ebb.cuda.text;

import dev.ebb.cuda.recipe.Action;
import dev.ebb.cuda.recipe.Operand;
import dev.ebb.cuda.recipe.Recipe;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;

import java.util.ArrayList;
import java.util.List;

/**
 * Convolutions computed directly from their definition: a thread sums one element of the output or
 * of the gradient of the input, a block sums the gradient of one weight.
 */
public final class ConvolveText {
    private static final int THREADS = 128;

    private final Kernel.Convolve k;
    private final List<DType> in;
    private final DType out;
    private final int rank;
    private final SourceLines code = new SourceLines();

    private ConvolveText(Kernel.Convolve k, List<DType> in, DType out) {
        this.k = k;
        this.in = in;
        this.out = out;
        rank = k.in().size();
    }

    public static Recipe recipe(Kernel.Convolve k, List<DType> in, DType out) {
        var text = new ConvolveText(k, in, out);
        long size =
                switch (k.side()) {
                    case OUTPUT ->
                            (long) k.batch()
                                    * k.groups()
                                    * k.outChannels()
                                    * ConvolutionAxes.size(k.out());
                    case INPUT ->
                            (long) k.batch()
                                    * k.groups()
                                    * k.inChannels()
                                    * ConvolutionAxes.size(k.in());
                    case WEIGHT ->
                            (long) k.groups()
                                    * k.outChannels()
                                    * k.inChannels()
                                    * ConvolutionAxes.size(k.kernel());
                };
        if (size == 0) return Recipe.of();
        MapText.open(text.code, "convolve", THREADS, 3, true);
        text.code.add("%s sum = %s;", CudaSyntax.computed(out), CudaSyntax.literal(out, 0));
        switch (k.side()) {
            case OUTPUT -> text.output(size);
            case INPUT -> text.input(size);
            case WEIGHT -> text.weight();
        }
        text.code.close();
        return Recipe.of(
                new Action.Launch(
                        "convolve",
                        text.code.toString(),
                        k.side() == Kernel.Side.WEIGHT ? size : MapText.blocks(size, THREADS),
                        THREADS,
                        0,
                        List.of(new Operand.In(0), new Operand.In(1), new Operand.Out(0))));
    }

    /** Splits {@code number} into indices named by {@code prefix}, the last one fastest. */
    private void split(String number, String prefix, List<Integer> dims) {
        code.add("num %s_rest = %s;", prefix, number);
        for (int d = dims.size() - 1; d >= 0; d--) {
            code.add("const int %s%d = (int)(%s_rest %% %d);", prefix, d, prefix, dims.get(d));
            code.add("%s_rest /= %d;", prefix, dims.get(d));
        }
    }

    /**
     * The linear index of an element with spatial indices {@code prefix} and leading index {@code
     * lead}.
     */
    private static String number(String lead, String prefix, List<Integer> dims) {
        var text = lead;
        for (int d = 0; d < dims.size(); d++) {
            text = "(" + text + " * " + dims.get(d) + " + " + prefix + d + ")";
        }
        return text;
    }

    private void add(String left, String right) {
        code.add(
                "sum = multiply_add(%s, %s, sum);",
                MapText.element(in.get(0), "p0", left), MapText.element(in.get(1), "p1", right));
    }

    private void store(String at) {
        var t = CudaSyntax.stored(out);
        code.add("((%s*)p2)[%s] = Down<%s>::of(sum);", t, at, t);
    }

    private void thread(long size) {
        MapText.each(code, "at", THREADS, size);
    }

    private void loops(String prefix, List<Integer> dims) {
        for (int d = 0; d < dims.size(); d++) {
            var i = prefix + d;
            code.open("for (int %s = 0; %s < %d; %s++)", i, i, dims.get(d), i);
        }
    }

    private void ends(int n) {
        for (int i = 0; i < n; i++) code.close();
    }

    /**
     * Computes input indices x from output indices y and kernel indices t; skips those out of
     * range.
     */
    private void inputs() {
        for (int d = 0; d < rank; d++) {
            code.add(
                    "const int x%d = y%d * %d + t%d * %d - %d;",
                    d, d, k.stride().get(d), d, k.dilation().get(d), k.low().get(d));
            code.add("if (x%d < 0 || x%d >= %d) continue;", d, d, k.in().get(d));
        }
    }

    private void output(long size) {
        thread(size);
        var dims = new ArrayList<>(List.of(k.batch(), k.groups(), k.outChannels()));
        dims.addAll(k.out());
        split("at", "i", dims);
        for (int d = 0; d < rank; d++) code.add("const int y%d = i%d;", d, d + 3);
        code.open("for (int c = 0; c < %d; c++)", k.inChannels());
        loops("t", k.kernel());
        inputs();
        var channel =
                "((num)i0 * %d + i1 * %d + c)"
                        .formatted(k.groups() * k.inChannels(), k.inChannels());
        var filter = "(((num)i1 * %d + i2) * %d + c)".formatted(k.outChannels(), k.inChannels());
        add(number(channel, "x", k.in()), number(filter, "t", k.kernel()));
        ends(rank + 1);
        store("at");
    }

    private void input(long size) {
        thread(size);
        var dims = new ArrayList<>(List.of(k.batch(), k.groups(), k.inChannels()));
        dims.addAll(k.in());
        split("at", "i", dims);
        code.open("for (int o = 0; o < %d; o++)", k.outChannels());
        loops("t", k.kernel());
        for (int d = 0; d < rank; d++) {
            code.add(
                    "const int z%d = i%d + %d - t%d * %d;",
                    d, d + 3, k.low().get(d), d, k.dilation().get(d));
            code.add(
                    "if (z%d < 0 || z%d %% %d != 0 || z%d / %d >= %d) continue;",
                    d, d, k.stride().get(d), d, k.stride().get(d), k.out().get(d));
            code.add("const int y%d = z%d / %d;", d, d, k.stride().get(d));
        }
        var filter = "(((num)i1 * %d + o) * %d + i2)".formatted(k.outChannels(), k.inChannels());
        var channel =
                "((num)i0 * %d + i1 * %d + o)"
                        .formatted(k.groups() * k.outChannels(), k.outChannels());
        add(number(filter, "t", k.kernel()), number(channel, "y", k.out()));
        ends(rank + 1);
        store("at");
    }

    private void weight() {
        var dims = new ArrayList<>(List.of(k.groups(), k.outChannels(), k.inChannels()));
        dims.addAll(k.kernel());
        code.add("const num at = blockIdx.x;");
        split("at", "i", dims);
        for (int d = 0; d < rank; d++) code.add("const int t%d = i%d;", d, d + 3);
        long places = k.batch() * ConvolutionAxes.size(k.out());
        code.open("for (num place = threadIdx.x; place < %d; place += %d)", places, THREADS);
        var walk = new ArrayList<>(List.of(k.batch()));
        walk.addAll(k.out());
        split("place", "j", walk);
        for (int d = 0; d < rank; d++) code.add("const int y%d = j%d;", d, d + 1);
        inputs();
        var channel =
                "((num)j0 * %d + i0 * %d + i2)"
                        .formatted(k.groups() * k.inChannels(), k.inChannels());
        var result =
                "((num)j0 * %d + i0 * %d + i1)"
                        .formatted(k.groups() * k.outChannels(), k.outChannels());
        add(number(channel, "x", k.in()), number(result, "y", k.out()));
        code.close();
        RowLanes.join(THREADS, code, List.of(new RowLanes.Partial(Kernel.Combine.SUM, out, "sum")));
        code.add("if (threadIdx.x != 0) return;");
        store("at");
    }
}
