package dev.ebb.pass.tiling;

import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.RowParts;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * An axis along which one node can be computed tile by tile. A value is in rows if its elements are
 * {@code rows} consecutive stretches of equal length; a tile of it is some consecutive rows. A row
 * corresponds to {@code each} indices of the axis. At these indices the node reads, of every
 * operand, only elements of that row or elements that do not depend on the index.
 *
 * @param folded whether the node combines the axis, as a sum does; if not, its result is in rows
 * @param every the device allows cuts of the axis at multiples of this number of indices
 * @param inRows for every operand whether the node reads it row by row
 */
record TileAxis(
        Node node, int axis, int rows, int each, boolean folded, int every, List<Boolean> inRows) {

    TileAxis {
        inRows = List.copyOf(inRows);
    }

    /** The kernel for some indices of an axis. */
    private interface TileKernel {
        /** The kernel for {@code count} indices, from index {@code first} of the operands on. */
        Kernel of(TileAxis axis, int count, int first);
    }

    /** How the results for the tiles of an axis are combined, and in which type. */
    private record Combined(Kernel.Combine combine, DType type) {}

    /**
     * The axes of a kernel, how it reads its operands along them, and how it is computed in tiles.
     * Only this record and the methods that make it depend on the form of the kernel.
     *
     * @param dims the sizes of the axes, of the results and of those that are combined
     * @param further for every operand how far beyond the element that its view gives it may be
     *     read
     * @param kept the axes of the result, outermost first
     * @param bodies the expressions that are evaluated at each index
     * @param combined how the axes that are not kept are combined; empty if all are kept
     */
    private record Walk(
            List<Integer> dims,
            List<View> views,
            List<Long> further,
            List<Integer> kept,
            List<Scalar> bodies,
            Optional<Combined> combined,
            TileKernel tile) {}

    /** An axis of {@code node} that divides into this number of rows, if there is one. */
    static Optional<TileAxis> of(Node node, int rows, Node.Cuts cuts) {
        var traits = node.op().traits();
        if (Trait.once(traits) || traits.contains(Trait.ALONE) || traits.contains(Trait.BESIDE))
            return Optional.empty();
        var walk = walk(node);
        if (walk.isEmpty()) return Optional.empty();
        var dims = walk.get().dims;
        for (int axis = 0; axis < dims.size(); axis++) {
            if (dims.get(axis) == 0 || dims.get(axis) % rows != 0) continue;
            var found = of(node, axis, rows, walk.get(), cuts);
            if (found.isPresent()) return found;
        }
        return Optional.empty();
    }

    private static Optional<TileAxis> of(Node node, int axis, int rows, Walk walk, Node.Cuts cuts) {
        int each = walk.dims.get(axis) / rows;
        boolean folded = !walk.kept.contains(axis);
        if (!folded && !isOutermost(axis, walk)) return Optional.empty();
        if (walk.bodies.stream().anyMatch(b -> knows(b, axis))) return Optional.empty();
        if (node.kernel() instanceof Kernel.Rows k && axis >= k.leading()) return Optional.empty();
        if (folded && !isSum(node, walk)) return Optional.empty();
        var inRows = new ArrayList<Boolean>();
        for (int i = 0; i < walk.views.size(); i++) {
            long stride = walk.views.get(i).stride(axis);
            if (stride != 0 && !isInRows(node.inputs().get(i), i, axis, rows, each, walk))
                return Optional.empty();
            inRows.add(stride != 0);
        }
        if (!inRows.contains(true)) return Optional.empty();
        int every = cuts.every(node, axis);
        return every == Node.Cuts.NEVER || !folded && every != Node.Cuts.ANYWHERE
                ? Optional.empty()
                : Optional.of(new TileAxis(node, axis, rows, each, folded, every, inRows));
    }

    /** Whether {@code axis} is the outermost axis of the result, not counting those of size 1. */
    private static boolean isOutermost(int axis, Walk walk) {
        for (int d : walk.kept) {
            if (d == axis) return true;
            if (walk.dims.get(d) != 1) return false;
        }
        return false;
    }

    /** Whether at each index of the axis only elements of the row of that index are read. */
    private static boolean isInRows(Value v, int operand, int axis, int rows, int each, Walk walk) {
        var view = walk.views.get(operand);
        if (v.type().size() % rows != 0) return false;
        long row = v.type().size() / rows;
        long stride = view.stride(axis);
        if (stride * each != row) return false;
        long low = view.offset();
        long high = view.offset() + (each - 1) * stride + walk.further.get(operand);
        for (int d = 0; d < walk.dims.size(); d++) {
            if (d == axis) continue;
            long reach = (walk.dims.get(d) - 1) * view.stride(d);
            low += Math.min(0, reach);
            high += Math.max(0, reach);
        }
        return low >= 0 && high < row;
    }

    /** Whether partial results are stored in the type in which the kernel adds them up. */
    private static boolean isSum(Node node, Walk walk) {
        if (walk.combined.isEmpty()) return false;
        var type = walk.combined.get().type;
        if (type != DType.F32 && type != DType.F64) return false;
        // a product adds the sum of the tiles before it in its epilogue, in that type
        return node.kernel() instanceof Kernel.Contract
                || type == node.outputs().getFirst().type().dtype();
    }

    /** How the results for tiles of an axis that is combined make the result for all of it. */
    Kernel.Combine combine() {
        return walk(node).flatMap(Walk::combined).orElseThrow().combine;
    }

    /**
     * Whether the node is a product that combines the axis and then applies an epilogue or converts
     * the sums: both may only follow the last tile.
     */
    boolean hasEpilogue() {
        return folded
                && node.kernel() instanceof Kernel.Contract k
                && !(k.extras().isEmpty()
                        && k.epilogue().equals(Scalar.arg(0))
                        && node.outputs().getFirst().type().dtype()
                                == node.inputs().getFirst().type().dtype().compute());
    }

    /** The number of rows in a tile must be a multiple of this number. */
    int unit() {
        return folded ? every / gcd(every, each) : 1;
    }

    static int gcd(int a, int b) {
        return b == 0 ? a : gcd(b, a % b);
    }

    private static Optional<Walk> walk(Node node) {
        var in = node.inputTypes().stream().map(Type::dtype).toList();
        return switch (node.kernel()) {
            case Kernel.Map k ->
                    viewed(
                            k.shape(),
                            k.operands(),
                            k.shape().allAxes(),
                            k.bodies(),
                            Optional.empty(),
                            (p, count, first) ->
                                    new Kernel.Map(
                                            k.shape().with(p.axis, count),
                                            p.from(first, k.operands()),
                                            k.bodies()));
            case Kernel.Fold k ->
                    viewed(
                            k.shape(),
                            k.operands(),
                            k.shape().allAxes().stream()
                                    .filter(d -> !k.axes().contains(d))
                                    .toList(),
                            k.bodies(),
                            Optional.of(new Combined(k.combine(), k.bodies().getFirst().type(in))),
                            (p, count, first) ->
                                    new Kernel.Fold(
                                            k.shape().with(p.axis, count),
                                            k.axes(),
                                            k.combine(),
                                            p.from(first, k.operands()),
                                            k.bodies()));
            case Kernel.Rows k -> rows(k, in);
            case Kernel.Contract k -> Optional.of(contract(k, in));
            case Kernel.Gather k ->
                    Optional.of(
                            new Walk(
                                    k.shape().dims(),
                                    List.of(k.data(), k.index()),
                                    List.of((k.bound() - 1) * k.stride(), 0L),
                                    k.shape().allAxes(),
                                    List.of(),
                                    Optional.empty(),
                                    (p, count, _) ->
                                            new Kernel.Gather(
                                                    k.shape().with(p.axis, count),
                                                    k.data(),
                                                    k.index(),
                                                    k.stride(),
                                                    k.bound())));
            case Kernel.Assemble k ->
                    k.shape().rank() > 0 && k.parts().stream().allMatch(p -> isWhole(p, k.shape()))
                            ? outer(k.shape().dim(0), node, (_, count, _) -> some(k, count))
                            : Optional.empty();
            case Kernel.Cut k ->
                    outer(
                            k.outer(),
                            node,
                            (_, count, _) -> new Kernel.Cut(count, k.sizes(), k.inner()));
            case Kernel.Cumulate k ->
                    outer(
                            Math.toIntExact(k.outer()),
                            node,
                            (_, count, _) ->
                                    new Kernel.Cumulate(
                                            count,
                                            k.length(),
                                            k.inner(),
                                            k.combine(),
                                            k.reverse(),
                                            k.weighted()));
            case Kernel.Sort k ->
                    outer(
                            Math.toIntExact(k.outer()),
                            node,
                            (_, count, _) ->
                                    new Kernel.Sort(count, k.length(), k.inner(), k.descending()));
            case Kernel.Scatter _, Kernel.Opaque _ -> Optional.empty();
        };
    }

    private static Optional<Walk> rows(Kernel.Rows k, List<DType> in) {
        var bodies = new ArrayList<Scalar>();
        if (k.results().size() > 1) return Optional.empty();
        k.numbers().forEach(n -> bodies.add(n.body()));
        var combined = Optional.<Combined>empty();
        List<Integer> kept;
        switch (k.result()) {
            case RowParts.Elements(var body) -> {
                bodies.add(body);
                kept = k.shape().allAxes();
            }
            case RowParts.RowNumber _ -> kept = range(0, k.leading());
            case RowParts.Columns(var combine, var body) -> {
                bodies.add(body);
                kept = range(k.leading(), k.shape().rank());
                combined = Optional.of(new Combined(combine, body.type(k.types(in))));
            }
        }
        return viewed(
                k.shape(),
                k.operands(),
                kept,
                bodies,
                combined,
                (p, count, first) ->
                        new Kernel.Rows(
                                k.shape().with(p.axis, count),
                                k.leading(),
                                p.from(first, k.operands()),
                                k.numbers(),
                                k.result()));
    }

    private static Kernel some(Kernel.Assemble k, int count) {
        var parts = new ArrayList<View.Part>();
        for (var p : k.parts())
            parts.add(new View.Part(p.shape().with(0, count), p.start(), p.step()));
        return new Kernel.Assemble(k.shape().with(0, count), k.fill(), parts);
    }

    private static boolean isWhole(View.Part part, Shape shape) {
        return part.start().getFirst() == 0
                && part.step().getFirst() == 1
                && part.shape().dim(0) == shape.dim(0);
    }

    private static List<Integer> range(int from, int to) {
        return IntStream.range(from, to).boxed().toList();
    }

    private static Optional<Walk> viewed(
            Shape shape,
            List<View> views,
            List<Integer> kept,
            List<Scalar> bodies,
            Optional<Combined> combined,
            TileKernel tile) {
        var further = views.stream().map(_ -> 0L).toList();
        return Optional.of(new Walk(shape.dims(), views, further, kept, bodies, combined, tile));
    }

    /**
     * A kernel that computes each of {@code count} stretches of its result from those of its
     * operands.
     */
    private static Optional<Walk> outer(int count, Node node, TileKernel tile) {
        if (count == 0) return Optional.empty();
        var views = new ArrayList<View>();
        var further = new ArrayList<Long>();
        for (Value v : node.inputs()) {
            long stretch = v.type().size() / count;
            views.add(new View(0, List.of(stretch)));
            further.add(Math.max(0, stretch - 1));
        }
        return Optional.of(
                new Walk(
                        List.of(count),
                        views,
                        further,
                        List.of(0),
                        List.of(),
                        Optional.empty(),
                        tile));
    }

    private static Walk contract(Kernel.Contract k, List<DType> in) {
        int rank = k.batch().rank();
        var views = new ArrayList<View>();
        views.add(along(k.a(), rank, k.a().stride(rank), 0, k.a().stride(rank + 1)));
        views.add(along(k.b(), rank, 0, k.b().stride(rank + 1), k.b().stride(rank)));
        for (View v : k.extras()) views.add(along(v, rank, v.stride(rank), v.stride(rank + 1), 0));
        return new Walk(
                k.batch().append(k.m(), k.n(), k.k()).dims(),
                views,
                views.stream().map(_ -> 0L).toList(),
                range(0, rank + 2),
                List.of(k.epilogue()),
                Optional.of(new Combined(Kernel.Combine.SUM, in.getFirst().compute())),
                (p, count, first) -> p.some(k, count, first));
    }

    private Kernel some(Kernel.Contract k, int count, int first) {
        int rank = k.batch().rank();
        return new Kernel.Contract(
                axis < rank ? k.batch().with(axis, count) : k.batch(),
                axis == rank ? count : k.m(),
                axis == rank + 1 ? count : k.n(),
                axis == rank + 2 ? count : k.k(),
                inRows.get(0) ? shifted(k.a(), folded ? rank + 1 : axis, first) : k.a(),
                inRows.get(1) ? shifted(k.b(), folded ? rank : axis, first) : k.b(),
                k.extras(),
                k.epilogue());
    }

    private static View along(View view, int rank, long m, long n, long k) {
        var strides = new ArrayList<>(view.strides().subList(0, rank));
        strides.addAll(List.of(m, n, k));
        return new View(view.offset(), strides);
    }

    /** Whether {@code body} depends on the index along {@code axis}, as random draws do. */
    private static boolean knows(Scalar body, int axis) {
        return body instanceof Scalar.Position
                || body instanceof Scalar.Index(int own) && own == axis
                || body.parts().stream().anyMatch(b -> knows(b, axis));
    }

    /**
     * The kernel for {@code count} indices of the axis. Its operands are tiles; it begins at index
     * {@code first} of them.
     */
    Kernel tile(int count, int first) {
        return walk(node).orElseThrow().tile.of(this, count, first);
    }

    private List<View> from(int first, List<View> views) {
        var all = new ArrayList<View>();
        for (int i = 0; i < views.size(); i++)
            all.add(inRows.get(i) ? shifted(views.get(i), axis, first) : views.get(i));
        return all;
    }

    private static View shifted(View view, int axis, int first) {
        return new View(view.offset() + first * view.stride(axis), view.strides());
    }
}
