package dev.ebb.science;

import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.RowParts;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Value;
import dev.ebb.ir.View;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;
import dev.ebb.trace.Trace;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which elements of a recorded function's first argument the derivative of each element of its
 * result may depend on: sets of positions, ascending, propagated through the graph kernel by
 * kernel. Values that do not depend on the argument are computed, so that indices are known.
 */
final class Dependencies {
    private static final int[] NONE = {};

    private final Map<Value, List<int[]>> sets = new HashMap<>();
    private final Map<Value, Array> constants = new HashMap<>();

    private Dependencies() {}

    /** For each element of the first result, the elements of the first parameter. */
    static List<int[]> of(Trace trace) {
        var found = new Dependencies();
        var graph = trace.graph();
        var argument = graph.params().getFirst();
        var own = new ArrayList<int[]>();
        for (int i = 0; i < argument.type().size(); i++) own.add(new int[] {i});
        found.sets.put(argument, own);
        for (int i = 0; i < trace.captured().size(); i++) {
            if (trace.captured().get(i) instanceof Array a) {
                found.constants.put(graph.params().get(1 + i), a);
            }
        }
        for (Node node : graph.nodes()) found.follow(node);
        return found.of(graph.results().getFirst());
    }

    /**
     * The elements of the argument on which each element of a value depends; none for constants and
     * integers.
     */
    private List<int[]> of(Value value) {
        var known = sets.get(value);
        if (known != null) return known;
        return Collections.nCopies(Math.toIntExact(value.type().size()), NONE);
    }

    private void follow(Node node) {
        if (constants.keySet().containsAll(node.inputs()) && node.op().traits().isEmpty()) {
            var operands = new ArrayList<Tensor>();
            for (Value v : node.inputs()) operands.add(constants.get(v));
            var values = Tensors.apply(node.op(), operands);
            for (int i = 0; i < values.size(); i++) {
                if (values.get(i) instanceof Array a) constants.put(node.outputs().get(i), a);
            }
            return;
        }
        if (node.inputs().stream().noneMatch(sets::containsKey)) return;
        var kernel = node.op().kernel(node.inputs().stream().map(Value::type).toList());
        for (int i = 0; i < node.outputs().size(); i++) {
            var out = node.outputs().get(i);
            if (!out.type().dtype().isFloat()) continue;
            sets.put(out, of(kernel, node, i));
        }
    }

    private List<int[]> of(Kernel kernel, Node node, int output) {
        var out = node.outputs().get(output);
        return switch (kernel) {
            case Kernel.Map k -> elements(k.shape(), k.operands(), k.bodies().get(output), node);
            case Kernel.Fold k -> fold(k.each().get(output), node);
            case Kernel.Rows k ->
                    k.results().get(output) instanceof RowParts.Elements
                            ? rows(k, node)
                            : everything(node, out);
            case Kernel.Contract k -> contract(k, node);
            case Kernel.Assemble k -> assemble(k, node);
            case Kernel.Cut k -> picked(node, 0, positions(k.shape(output), k.view(output)));
            case Kernel.Gather k -> gather(k, node);
            case Kernel.Scatter k when k.write() == Kernel.Write.ADD -> scatter(k, node, out);
            case Kernel.Cumulate k -> cumulate(k, node);
            case Kernel.Scatter _, Kernel.Sort _, Kernel.Opaque _ -> everything(node, out);
        };
    }

    /** The position that a view reads, for each index of {@code shape} in row-major order. */
    private static long[] positions(Shape shape, View view) {
        var at = new long[Math.toIntExact(shape.size())];
        var index = new int[shape.rank()];
        long place = view.offset();
        for (int i = 0; i < at.length; i++) {
            at[i] = place;
            for (int d = shape.rank() - 1; d >= 0; d--) {
                place += view.stride(d);
                if (++index[d] < shape.dim(d)) break;
                place -= view.stride(d) * shape.dim(d);
                index[d] = 0;
            }
        }
        return at;
    }

    private List<int[]> picked(Node node, int operand, long[] at) {
        var from = of(node.inputs().get(operand));
        var all = new ArrayList<int[]>();
        for (long place : at) all.add(from.get((int) place));
        return all;
    }

    private List<int[]> elements(Shape shape, List<View> views, Scalar body, Node node) {
        var read = new LinkedHashSet<Integer>();
        arguments(body, read);
        var all = new ArrayList<>(Collections.nCopies(Math.toIntExact(shape.size()), NONE));
        for (int o : read) {
            if (!sets.containsKey(node.inputs().get(o))) continue;
            var more = picked(node, o, positions(shape, views.get(o)));
            for (int i = 0; i < all.size(); i++) all.set(i, union(all.get(i), more.get(i)));
        }
        return all;
    }

    /** The operands to which {@code body} has a derivative; conditions have none. */
    private static void arguments(Scalar body, Set<Integer> found) {
        switch (body) {
            case Scalar.Arg(int i) -> found.add(i);
            case Scalar.Select(_, var yes, var no) -> {
                arguments(yes, found);
                arguments(no, found);
            }
            case Scalar.Bin(var fn, var x, var y) -> {
                if (fn.compares()) return;
                arguments(x, found);
                arguments(y, found);
            }
            case Scalar.Un(_, var x) -> arguments(x, found);
            case Scalar.Cast(_, var x) -> arguments(x, found);
            case Scalar.Lit _, Scalar.Index _, Scalar.Position _, Scalar.Draw _ -> {}
        }
    }

    private List<int[]> fold(Kernel.Fold k, Node node) {
        var each = elements(k.shape(), k.operands(), k.body(), node);
        var strides = new ArrayList<Long>();
        long stride = 1;
        for (int d = k.shape().rank() - 1; d >= 0; d--) {
            strides.addFirst(k.axes().contains(d) ? 0 : stride);
            if (!k.axes().contains(d)) stride *= k.shape().dim(d);
        }
        return joined(each, positions(k.shape(), new View(0, strides)), stride);
    }

    /**
     * The sets {@code each[i]} moved to position {@code to[i]}; sets with the same position are
     * joined.
     */
    private static List<int[]> joined(List<int[]> each, long[] to, long size) {
        var groups = new ArrayList<List<int[]>>();
        for (long i = 0; i < size; i++) groups.add(new ArrayList<>());
        for (int i = 0; i < to.length; i++) groups.get((int) to[i]).add(each.get(i));
        return new ArrayList<>(groups.stream().map(Dependencies::union).toList());
    }

    private List<int[]> rows(Kernel.Rows k, Node node) {
        int width = Math.toIntExact(k.width());
        var parts = new ArrayList<List<int[]>>();
        for (int o = 0; o < k.operands().size(); o++) {
            parts.add(picked(node, o, positions(k.shape(), k.operands().get(o))));
        }
        var all = new ArrayList<int[]>();
        for (int first = 0; first < k.shape().size(); first += width) {
            var row = new ArrayList<int[]>();
            for (var part : parts) row.addAll(part.subList(first, first + width));
            all.addAll(Collections.nCopies(width, union(row)));
        }
        return all;
    }

    private List<int[]> contract(Kernel.Contract k, Node node) {
        var whole = k.shape();
        var a = picked(node, 0, positions(k.batch().append(k.m(), k.k()), k.a()));
        var b = picked(node, 1, positions(k.batch().append(k.k(), k.n()), k.b()));
        var extras = new ArrayList<List<int[]>>();
        for (int e = 0; e < k.extras().size(); e++) {
            extras.add(picked(node, 2 + e, positions(whole, k.extras().get(e))));
        }
        var all = new ArrayList<int[]>();
        for (int batch = 0; batch < k.batch().size(); batch++) {
            var columns = new ArrayList<int[]>();
            for (int j = 0; j < k.n(); j++) {
                var column = new ArrayList<int[]>();
                for (int i = 0; i < k.k(); i++) column.add(b.get((batch * k.k() + i) * k.n() + j));
                columns.add(union(column));
            }
            for (int i = 0; i < k.m(); i++) {
                int first = (batch * k.m() + i) * k.k();
                var row = union(a.subList(first, first + k.k()));
                for (int j = 0; j < k.n(); j++) {
                    var set = union(row, columns.get(j));
                    for (var extra : extras) set = union(set, extra.get(all.size()));
                    all.add(set);
                }
            }
        }
        return all;
    }

    private List<int[]> assemble(Kernel.Assemble k, Node node) {
        var all = new ArrayList<>(Collections.nCopies(Math.toIntExact(k.shape().size()), NONE));
        for (int i = 0; i < k.parts().size(); i++) {
            var part = k.parts().get(i);
            var to = positions(part.shape(), part.in(k.shape()));
            var from = of(node.inputs().get(i));
            for (int e = 0; e < to.length; e++) all.set((int) to[e], from.get(e));
        }
        return all;
    }

    private List<int[]> gather(Kernel.Gather k, Node node) {
        var at = positions(k.shape(), k.data());
        var index = constants.get(node.inputs().get(1));
        var from = of(node.inputs().get(0));
        if (index != null) {
            var which = positions(k.shape(), k.index());
            for (int i = 0; i < at.length; i++) {
                at[i] += index.data().getLong(which[i]) * k.stride();
            }
            return picked(node, 0, at);
        }
        var all = new ArrayList<int[]>();
        for (long place : at) {
            var axis = new ArrayList<int[]>();
            for (int i = 0; i < k.bound(); i++) axis.add(from.get((int) (place + i * k.stride())));
            all.add(union(axis));
        }
        return all;
    }

    private List<int[]> scatter(Kernel.Scatter k, Node node, Value out) {
        var index = constants.get(node.inputs().get(0));
        if (index == null) return everything(node, out);
        var to = positions(k.shape(), k.target());
        var which = positions(k.shape(), k.index());
        for (int i = 0; i < to.length; i++) {
            to[i] += index.data().getLong(which[i]) * k.stride();
        }
        return joined(picked(node, 1, positions(k.shape(), k.source())), to, k.size());
    }

    private List<int[]> cumulate(Kernel.Cumulate k, Node node) {
        var all = new ArrayList<>(of(node.inputs().getLast()));
        if (k.weighted()) {
            var weights = of(node.inputs().getFirst());
            for (int i = 0; i < all.size(); i++) all.set(i, union(all.get(i), weights.get(i)));
        }
        for (long outer = 0; outer < k.outer(); outer++) {
            for (long inner = 0; inner < k.inner(); inner++) {
                int[] sum = NONE;
                for (int i = 0; i < k.length(); i++) {
                    int step = k.reverse() ? k.length() - 1 - i : i;
                    int place = (int) ((outer * k.length() + step) * k.inner() + inner);
                    sum = union(sum, all.get(place));
                    all.set(place, sum);
                }
            }
        }
        return all;
    }

    private List<int[]> everything(Node node, Value out) {
        var parts = new ArrayList<int[]>();
        for (Value v : node.inputs()) parts.addAll(of(v));
        return Collections.nCopies(Math.toIntExact(out.type().size()), union(parts));
    }

    private static int[] union(List<int[]> parts) {
        var distinct = parts.stream().filter(p -> p.length > 0).toList();
        if (distinct.size() <= 1) return distinct.isEmpty() ? NONE : distinct.getFirst();
        return distinct.stream().flatMapToInt(Arrays::stream).sorted().distinct().toArray();
    }

    private static int[] union(int[] x, int[] y) {
        if (y.length == 0 || Arrays.equals(x, y)) return x;
        if (x.length == 0) return y;
        return union(List.of(x, y));
    }
}
