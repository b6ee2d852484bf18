package dev.ebb.pass;

import dev.ebb.ir.AttentionShape;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Kernel.Place;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Value;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** The views through which kernels read their operands, and how to replace them. */
final class OperandViews {
    private OperandViews() {}

    /** The views of a kernel's operands, in order; none for a kernel that reads whole buffers. */
    static List<View> views(Kernel kernel) {
        if (!(kernel instanceof Kernel.Viewed viewed)) return List.of();
        return switch (viewed) {
            case Kernel.Map k -> k.operands();
            case Kernel.Fold k -> k.operands();
            case Kernel.Contract k -> {
                var views = new ArrayList<>(List.of(k.a(), k.b()));
                views.addAll(k.extras());
                yield views;
            }
            case Kernel.Attend k -> withMask(k.operands(), k.heads());
            case Kernel.AttendGrad k -> withMask(k.operands(), k.heads());
        };
    }

    private static Kernel.Viewed viewed(Kernel kernel) {
        if (kernel instanceof Kernel.Viewed viewed) return viewed;
        throw new IllegalArgumentException("no views in " + kernel);
    }

    /** The views with that of the mask after q, k and v. */
    private static List<View> withMask(List<View> operands, AttentionShape heads) {
        var views = new ArrayList<>(operands);
        views.addAll(3, heads.mask());
        return views;
    }

    /** The shape along which operand {@code i} is read. */
    static Shape walked(Kernel kernel, int i) {
        return switch (viewed(kernel)) {
            case Kernel.Map k -> k.shape();
            case Kernel.Fold k -> k.shape();
            case Kernel.Contract k ->
                    i == 0
                            ? k.batch().append(k.m(), k.k())
                            : i == 1 ? k.batch().append(k.k(), k.n()) : k.shape();
            case Kernel.Attend k -> walked(k.heads(), i);
            case Kernel.AttendGrad k -> walked(k.heads(), i);
        };
    }

    private static Shape walked(AttentionShape h, int i) {
        return switch (i) {
            case 0 -> h.queryShape();
            case 1 -> h.keyShape();
            case 2 -> h.valueShape();
            default -> i < 3 + h.mask().size() ? h.scoreShape() : h.outShape();
        };
    }

    static Kernel withView(Kernel kernel, int i, View view) {
        var views = new ArrayList<>(views(kernel));
        views.set(i, view);
        return withBodies(kernel, views, UnaryOperator.identity());
    }

    static Kernel withBodies(Kernel kernel, List<View> views, UnaryOperator<Scalar> body) {
        return switch (viewed(kernel)) {
            case Kernel.Map k ->
                    new Kernel.Map(k.shape(), views, k.bodies().stream().map(body).toList());
            case Kernel.Fold k ->
                    new Kernel.Fold(
                            k.shape(),
                            k.axes(),
                            k.combine(),
                            views,
                            k.bodies().stream().map(body).toList());
            case Kernel.Contract k ->
                    new Kernel.Contract(
                            k.batch(),
                            k.m(),
                            k.n(),
                            k.k(),
                            views.get(0),
                            views.get(1),
                            views.subList(2, views.size()),
                            body.apply(k.epilogue()));
            case Kernel.Attend k ->
                    new Kernel.Attend(masked(k.heads(), views), views.subList(0, 3), k.out());
            case Kernel.AttendGrad k ->
                    new Kernel.AttendGrad(
                            masked(k.heads(), views), withoutMask(k.heads(), views), k.results());
        };
    }

    private static AttentionShape masked(AttentionShape heads, List<View> views) {
        return heads.withMask(views.subList(3, 3 + heads.mask().size()));
    }

    private static List<View> withoutMask(AttentionShape heads, List<View> views) {
        var operands = new ArrayList<>(views.subList(0, 3));
        operands.addAll(views.subList(3 + heads.mask().size(), views.size()));
        return operands;
    }

    static int bodyCost(Kernel kernel) {
        if (!(kernel instanceof Kernel.Viewed viewed)) return 0;
        return switch (viewed) {
            case Kernel.Map k -> k.bodies().stream().mapToInt(Scalar::cost).sum();
            case Kernel.Fold k -> k.bodies().stream().mapToInt(Scalar::cost).sum();
            case Kernel.Contract k -> k.epilogue().cost();
            case Kernel.Attend _, Kernel.AttendGrad _ -> 0;
        };
    }

    /** Whether operand {@code i} must be read in contiguous rows. */
    static boolean wantsRows(Kernel kernel, int i) {
        return (kernel instanceof Kernel.Attend && i < 3)
                || (kernel instanceof Kernel.AttendGrad k
                        && (i < 3 || i >= 3 + k.heads().mask().size()));
    }

    /** The destinations of those results of a kernel that can be written through another view. */
    static List<Place> results(Kernel kernel) {
        if (kernel instanceof Kernel.Attend k) return List.of(new Place(0, k.out()));
        return kernel instanceof Kernel.AttendGrad k ? k.results() : List.of();
    }

    /** The shape along which result {@code i} is written. */
    static Shape written(Kernel kernel, int i) {
        return kernel instanceof Kernel.Attend k ? k.heads().outShape() : walked(kernel, i);
    }

    static Kernel withResults(Kernel kernel, List<Place> results) {
        if (kernel instanceof Kernel.Attend k)
            return new Kernel.Attend(k.heads(), k.operands(), results.getFirst().view());
        if (kernel instanceof Kernel.AttendGrad k)
            return new Kernel.AttendGrad(k.heads(), k.operands(), results);
        throw new IllegalArgumentException("no views of results in " + kernel);
    }

    /** Whether a body depends on the index at which it is evaluated, not only on its operands. */
    static boolean knowsItsPlace(Scalar body) {
        return body instanceof Scalar.Index
                || body instanceof Scalar.Position
                || body.parts().stream().anyMatch(OperandViews::knowsItsPlace);
    }

    /**
     * Whether {@code body}, written for iteration shape {@code own}, has the same value at each
     * element if it is read through {@code view} along {@code walked}.
     */
    static boolean keepsItsPlace(Scalar body, Shape own, Shape walked, View view) {
        if (!knowsItsPlace(body)) return true;
        boolean inOrder = view.isContiguous(walked) && walked.size() == own.size();
        return inOrder && (walked.equals(own) || !knowsAxes(body));
    }

    private static boolean knowsAxes(Scalar body) {
        return body instanceof Scalar.Index
                || body.parts().stream().anyMatch(OperandViews::knowsAxes);
    }

    /** The value of {@code body} after it was stored as {@code type} and read back. */
    static Scalar asStored(Scalar body, DType type) {
        return switch (type) {
            case F32, F64, I32, I64, BOOL, BIT -> body;
            case BF16, F16, U8 -> body.cast(type);
        };
    }

    /** A kernel and its inputs. */
    record Bound(Kernel kernel, List<Value> inputs) {}

    /** A map or a fold without the operands that none of its bodies uses. */
    static Bound used(Bound bound) {
        var bodies =
                bound.kernel() instanceof Kernel.Map map
                        ? map.bodies()
                        : ((Kernel.Fold) bound.kernel()).bodies();
        var views = views(bound.kernel());
        var keptViews = new ArrayList<View>();
        var keptInputs = new ArrayList<Value>();
        var place = new int[views.size()];
        for (int i = 0; i < place.length; i++) {
            int argument = i;
            if (bodies.stream().noneMatch(b -> uses(b, argument))) continue;
            place[i] = keptViews.size();
            keptViews.add(views.get(i));
            keptInputs.add(bound.inputs().get(i));
        }
        if (keptViews.size() == place.length) return bound;
        var kernel =
                withBodies(
                        bound.kernel(),
                        keptViews,
                        b -> b.mapArgs(a -> Scalar.arg(place[((Scalar.Arg) a).index()])));
        return new Bound(kernel, keptInputs);
    }

    private static boolean uses(Scalar body, int argument) {
        return body.equals(Scalar.arg(argument))
                || body.parts().stream().anyMatch(p -> uses(p, argument));
    }

    /** Operands that are read twice in the same way become one. */
    static Bound share(Kernel kernel, List<Value> inputs) {
        var views = views(kernel);
        var keptViews = new ArrayList<View>();
        var keptInputs = new ArrayList<Value>();
        var place = new int[views.size()];
        for (int i = 0; i < place.length; i++) {
            place[i] = -1;
            for (int j = 0; j < keptViews.size(); j++) {
                if (keptInputs.get(j).equals(inputs.get(i))
                        && keptViews.get(j).equals(views.get(i))) place[i] = j;
            }
            if (place[i] < 0) {
                place[i] = keptViews.size();
                keptViews.add(views.get(i));
                keptInputs.add(inputs.get(i));
            }
        }
        var shared =
                withBodies(
                        kernel,
                        keptViews,
                        b -> b.mapArgs(a -> Scalar.arg(place[((Scalar.Arg) a).index()])));
        return new Bound(shared, keptInputs);
    }
}
