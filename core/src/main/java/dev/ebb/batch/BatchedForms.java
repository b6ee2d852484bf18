package dev.ebb.batch;

import dev.ebb.ir.AttentionShape;
import dev.ebb.ir.Control;
import dev.ebb.ir.DType;
import dev.ebb.ir.DecodingContract;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.RowParts;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * For each kernel form, the kernel for a batch of examples: the same form with a batch axis in
 * front. Empty if no single kernel of that form computes the batch.
 *
 * @param along which operands are batched; the others are shared by all examples
 * @param inputs the operands of one example
 * @param outputs the results of one example
 */
record BatchedForms(int size, List<Boolean> along, List<Type> inputs, List<Type> outputs) {

    static Type stacked(Type type, int size) {
        return type.with(type.shape().prepend(size));
    }

    /** Whether a kernel of this form requires all its operands to be batched. */
    static boolean needsAll(Kernel kernel) {
        return switch (kernel) {
            case Kernel.Assemble _, Kernel.Cut _, Kernel.Cumulate _, Kernel.Sort _ -> true;
            case Kernel.Attend _, Kernel.AttendGrad _ -> true;
            case Kernel.Scatter k -> k.isUpdate();
            case Kernel.Convolve k -> k.side() == Kernel.Side.WEIGHT;
            case Kernel.Map _,
                    Kernel.Fold _,
                    Kernel.Rows _,
                    Kernel.Contract _,
                    DecodingContract _,
                    Kernel.Gather _,
                    Kernel.Library _,
                    Control _ ->
                    false;
        };
    }

    Optional<Kernel> of(Kernel kernel) {
        return switch (kernel) {
            case Kernel.Map k -> Optional.of(map(k));
            case Kernel.Fold k -> Optional.of(fold(k));
            case Kernel.Rows k -> rows(k);
            case Kernel.Contract k -> Optional.of(contract(k));
            case Kernel.Assemble k -> Optional.of(assemble(k));
            case Kernel.Cut(int outer, var sizes, int inner) ->
                    Optional.of(new Kernel.Cut(size * outer, sizes, inner));
            case Kernel.Gather k ->
                    Optional.of(
                            new Kernel.Gather(
                                    k.shape().prepend(size),
                                    view(0, k.data()),
                                    view(1, k.index()),
                                    k.stride(),
                                    k.bound()));
            case Kernel.Scatter k -> Optional.of(scatter(k));
            case Kernel.Cumulate k ->
                    Optional.of(
                            new Kernel.Cumulate(
                                    size * k.outer(),
                                    k.length(),
                                    k.inner(),
                                    k.combine(),
                                    k.reverse(),
                                    k.weighted()));
            case Kernel.Sort(var outer, var length, var inner, var descending) ->
                    Optional.of(new Kernel.Sort(size * outer, length, inner, descending));
            case Kernel.Convolve k -> convolve(k);
            case Kernel.Attend k -> attend(k);
            case Kernel.AttendGrad k -> attendGrad(k);
            case DecodingContract _, Kernel.Library _, Control _ -> Optional.empty();
        };
    }

    /** The view of operand {@code i} with the batch axis in front. */
    private View view(int i, View view) {
        return led(view, along.get(i) ? inputs.get(i).size() : 0);
    }

    private static View led(View view, long stride) {
        var strides = new ArrayList<Long>();
        strides.add(stride);
        strides.addAll(view.strides());
        return new View(view.offset(), strides);
    }

    private List<View> views(int first, List<View> views) {
        return IntStream.range(0, views.size())
                .mapToObj(i -> view(first + i, views.get(i)))
                .toList();
    }

    /** {@code body} with positions counted within one example. */
    private static Scalar within(Scalar body, Shape shape) {
        return switch (body) {
            case Scalar.Arg _, Scalar.Lit _ -> body;
            case Scalar.Index(int axis) -> new Scalar.Index(axis + 1);
            case Scalar.Position _ ->
                    new Scalar.Position()
                            .sub(
                                    new Scalar.Index(0)
                                            .cast(DType.I64)
                                            .mul(new Scalar.Lit(DType.I64, shape.size())));
            case Scalar.Un(var fn, var x) -> new Scalar.Un(fn, within(x, shape));
            case Scalar.Bin(var fn, var x, var y) ->
                    new Scalar.Bin(fn, within(x, shape), within(y, shape));
            case Scalar.Select(var c, var x, var y) ->
                    new Scalar.Select(within(c, shape), within(x, shape), within(y, shape));
            case Scalar.Cast(var to, var x) -> new Scalar.Cast(to, within(x, shape));
            case Scalar.Draw(var key, var counter) ->
                    new Scalar.Draw(within(key, shape), within(counter, shape));
        };
    }

    private Kernel map(Kernel.Map k) {
        return new Kernel.Map(
                k.shape().prepend(size),
                views(0, k.operands()),
                k.bodies().stream().map(b -> within(b, k.shape())).toList());
    }

    private Kernel fold(Kernel.Fold k) {
        return new Kernel.Fold(
                k.shape().prepend(size),
                k.axes().stream().map(a -> a + 1).toList(),
                k.combine(),
                views(0, k.operands()),
                k.bodies().stream().map(b -> within(b, k.shape())).toList());
    }

    private Optional<Kernel> rows(Kernel.Rows k) {
        var numbers =
                k.numbers().stream()
                        .map(
                                n ->
                                        switch (n) {
                                            case RowParts.Fold(var combine, var body) ->
                                                    new RowParts.Fold(
                                                            combine, within(body, k.shape()));
                                            case RowParts.Apply(var body) ->
                                                    new RowParts.Apply(within(body, k.shape()));
                                        })
                        .<RowParts.RowValue>map(n -> n)
                        .toList();
        if (k.results().size() > 1) return Optional.empty();
        Optional<RowParts.Result> result =
                switch (k.result()) {
                    case RowParts.Elements(var body) ->
                            Optional.of(new RowParts.Elements(within(body, k.shape())));
                    case RowParts.RowNumber number -> Optional.of(number);
                    case RowParts.Columns _ -> Optional.empty();
                };
        return result.map(
                r ->
                        new Kernel.Rows(
                                k.shape().prepend(size),
                                k.leading() + 1,
                                views(0, k.operands()),
                                numbers,
                                r));
    }

    private Kernel contract(Kernel.Contract k) {
        return new Kernel.Contract(
                k.batch().prepend(size),
                k.m(),
                k.n(),
                k.k(),
                view(0, k.a()),
                view(1, k.b()),
                views(2, k.extras()),
                within(k.epilogue(), k.shape()));
    }

    private Kernel assemble(Kernel.Assemble k) {
        return new Kernel.Assemble(
                k.shape().prepend(size),
                k.fill(),
                k.parts().stream()
                        .map(
                                p ->
                                        new View.Part(
                                                p.shape().prepend(size),
                                                led(p.start(), 0),
                                                led(p.step(), 1)))
                        .toList());
    }

    private Kernel scatter(Kernel.Scatter k) {
        int first = k.isUpdate() ? 1 : 0;
        return new Kernel.Scatter(
                k.write(),
                k.shape().prepend(size),
                size * k.size(),
                led(k.target(), k.size()),
                view(first, k.index()),
                view(first + 1, k.source()),
                k.stride(),
                k.bound());
    }

    private static List<Integer> led(List<Integer> numbers, int first) {
        var all = new ArrayList<Integer>();
        all.add(first);
        all.addAll(numbers);
        return all;
    }

    /**
     * If all examples share a weight, they become one larger batch. If each has its own weight, or
     * its own gradient of the weight, they become groups of channels, provided that an example has
     * one image.
     */
    private Optional<Kernel> convolve(Kernel.Convolve k) {
        boolean sharedWeight =
                switch (k.side()) {
                    case OUTPUT -> along.equals(List.of(true, false));
                    case INPUT -> along.equals(List.of(false, true));
                    case WEIGHT -> false;
                };
        if (sharedWeight) return Optional.of(sized(k, size * k.batch(), k.groups()));
        boolean all = along.stream().allMatch(a -> a);
        return all && k.batch() == 1
                ? Optional.of(sized(k, 1, size * k.groups()))
                : Optional.empty();
    }

    private static Kernel sized(Kernel.Convolve k, int batch, int groups) {
        return new Kernel.Convolve(
                k.side(),
                batch,
                groups,
                k.inChannels(),
                k.outChannels(),
                k.in(),
                k.kernel(),
                k.out(),
                k.stride(),
                k.low(),
                k.dilation());
    }

    private Optional<Kernel> attend(Kernel.Attend k) {
        return heads(k.heads())
                .filter(_ -> k.equals(new Kernel.Attend(k.heads())))
                .map(Kernel.Attend::new);
    }

    private Optional<Kernel> attendGrad(Kernel.AttendGrad k) {
        return heads(k.heads())
                .filter(_ -> k.equals(new Kernel.AttendGrad(k.heads())))
                .map(Kernel.AttendGrad::new);
    }

    /**
     * The attention with the examples merged into its batch axis, if a view of the mask can follow.
     */
    private Optional<AttentionShape> heads(AttentionShape h) {
        var mask = new ArrayList<View>();
        for (View view : h.mask()) {
            long whole = inputs.get(3).size();
            if (h.batch() != 1 && view.stride(0) * h.batch() != whole) return Optional.empty();
            var strides = new ArrayList<>(view.strides());
            if (h.batch() == 1) strides.set(0, whole);
            mask.add(new View(view.offset(), strides));
        }
        return Optional.of(
                new AttentionShape(
                        size * h.batch(),
                        h.heads(),
                        h.keyHeads(),
                        h.queries(),
                        h.keys(),
                        h.width(),
                        h.valueWidth(),
                        h.causal(),
                        h.scale(),
                        mask));
    }
}
