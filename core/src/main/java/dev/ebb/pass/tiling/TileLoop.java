package dev.ebb.pass.tiling;

import dev.ebb.ir.Control;
import dev.ebb.ir.DType;
import dev.ebb.ir.Fill;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Table;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;
import dev.ebb.ir.View;
import dev.ebb.pass.Lowered;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A loop that computes nodes tile by tile. Each iteration computes one tile, a fixed number of
 * rows. It reads only the rows of its tile of the inputs that are read row by row, and the other
 * inputs as a whole. The loop stacks the results in rows that other nodes read. Sums over all rows
 * are carried from one iteration to the next: each iteration adds the sums of its tile in the order
 * in which the device adds them in one kernel, so that no bit changes. If the number of rows is no
 * multiple of a tile, the same nodes compute the last rows after the loop.
 */
final class TileLoop {
    private final List<TileAxis> axes;
    private final Set<Value> leaving;
    private final int rows;
    private final int tile;

    /** The inputs that every iteration reads as a whole. */
    private final List<Value> constants = new ArrayList<>();

    /** The inputs of which an iteration reads the rows of its tile. */
    private final List<Value> slices = new ArrayList<>();

    /** The nodes that combine all rows: the iterations carry their results. */
    private final List<TileAxis> sums = new ArrayList<>();

    /** The results in rows that the loop stacks. */
    private final List<Value> stacked = new ArrayList<>();

    /**
     * @param axes the nodes to compute, with their axes, producers before readers
     * @param leaving the values in rows that other nodes read
     * @param tile how many rows an iteration computes
     */
    TileLoop(List<TileAxis> axes, Set<Value> leaving, int rows, int tile) {
        this.axes = List.copyOf(axes);
        this.leaving = leaving;
        this.rows = rows;
        this.tile = tile;
        collect();
    }

    private void collect() {
        var inside = new ArrayList<Value>();
        for (var axis : axes) {
            var inputs = axis.node().inputs();
            for (int i = 0; i < inputs.size(); i++) {
                var v = inputs.get(i);
                if (!axis.inRows().get(i)) addOnce(constants, v);
                else if (!inside.contains(v)) addOnce(slices, v);
            }
            if (axis.folded()) {
                sums.add(axis);
                continue;
            }
            inside.addAll(axis.node().outputs());
            for (Value v : axis.node().outputs()) if (leaving.contains(v)) stacked.add(v);
        }
    }

    private static void addOnce(List<Value> all, Value v) {
        if (!all.contains(v)) all.add(v);
    }

    /** The values that must be computed before the loop. */
    List<Value> inputs() {
        var all = new ArrayList<>(constants);
        all.addAll(slices);
        return all;
    }

    private int times() {
        return rows / tile;
    }

    private int left() {
        return rows % tile;
    }

    /**
     * Whether the rows of all values that enter and leave in rows can be copied. They cannot if
     * some rows are left over and a value is of packed bits.
     */
    boolean isByteWise() {
        var all = new ArrayList<>(slices);
        all.addAll(stacked);
        return left() == 0 || all.stream().noneMatch(v -> v.type().dtype() == DType.BIT);
    }

    /** The type of {@code count} rows of {@code v}. */
    private Type some(Value v, int count) {
        var shape = v.type().shape();
        for (int d = 0; d < shape.rank(); d++) {
            int size = shape.dim(d);
            if (size != 1 && size % rows == 0)
                return v.type().with(shape.with(d, size / rows * count));
            if (size != 1) break;
        }
        int row = Math.toIntExact(v.type().size() / rows);
        return v.type().with(Shape.of(count, row));
    }

    /**
     * The computation of {@code count} rows. Parameters are the constants, the sums so far and the
     * slices; results are the new sums and the values to stack.
     */
    private Graph body(int count) {
        var g = new Graph.Builder();
        var whole = new Table<Value, Value>();
        var inRows = new Table<Value, Value>();
        for (Value v : constants) whole.put(v, g.param(v.type()));
        var sum = new Table<Value, Value>();
        for (var axis : sums) sum.put(result(axis), g.param(result(axis).type()));
        for (Value v : slices) inRows.put(v, g.param(some(v, count)));
        for (var axis : axes) {
            var node = axis.node();
            g.at(node.region(), node.reverse());
            var inputs = new ArrayList<Value>();
            for (int i = 0; i < node.inputs().size(); i++) {
                var v = node.inputs().get(i);
                inputs.add(axis.inRows().get(i) ? inRows.at(v) : whole.at(v));
            }
            if (axis.folded()) {
                sum.put(result(axis), added(g, axis, count, inputs, sum.at(result(axis))));
                continue;
            }
            var types = node.outputs().stream().map(v -> some(v, count)).toList();
            var op = op(node, axis.tile(count * axis.each(), 0), types);
            var made = g.emit(op, inputs, node.labels());
            for (int i = 0; i < made.size(); i++) inRows.put(node.outputs().get(i), made.get(i));
        }
        var results = new ArrayList<Value>();
        for (var axis : sums) results.add(sum.at(result(axis)));
        for (Value v : stacked) results.add(inRows.at(v));
        return g.build(results);
    }

    private static Value result(TileAxis axis) {
        return axis.node().outputs().getFirst();
    }

    private static Op op(Node node, Kernel kernel, List<Type> types) {
        return new Lowered(node.op().name(), kernel, types, node.op().traits(), List.of());
    }

    /** Adds to {@code before} the results for the pieces of a tile, one after the other. */
    private static Value added(
            Graph.Builder g, TileAxis axis, int count, List<Value> inputs, Value before) {
        var node = axis.node();
        int indices = count * axis.each();
        var sum = before;
        for (int first = 0; first < indices; first += axis.every()) {
            var piece = axis.tile(Math.min(axis.every(), indices - first), first);
            if (piece instanceof Kernel.Contract k) {
                // the product adds its result to the sum before in its epilogue, in place
                var view = View.contiguous(k.shape());
                var onto =
                        new Kernel.Contract(
                                k.batch(),
                                k.m(),
                                k.n(),
                                k.k(),
                                k.a(),
                                k.b(),
                                List.of(view),
                                Scalar.arg(1).add(Scalar.arg(0)));
                var all = new ArrayList<>(inputs);
                all.add(sum);
                sum = g.emit(op(node, onto, node.outputTypes()), all).getFirst();
            } else {
                var some = g.emit(op(node, piece, node.outputTypes()), inputs).getFirst();
                sum = g.emit(combining(axis.combine(), sum.type()), sum, some);
            }
        }
        return sum;
    }

    private static Op combining(Kernel.Combine combine, Type type) {
        var body = new Scalar.Bin(combine.function(), Scalar.arg(0), Scalar.arg(1));
        var view = View.contiguous(type.shape());
        var kernel = Kernel.Map.of(type.shape(), List.of(view, view), body);
        return new Lowered("combine", kernel, List.of(type), Set.of(), List.of());
    }

    /** The neutral element: combining with it changes no number, not even the sign of a zero. */
    private static double nothing(Kernel.Combine combine) {
        return switch (combine) {
            case SUM -> -0.0;
            case PROD -> 1;
            case MAX -> Double.NEGATIVE_INFINITY;
            case MIN -> Double.POSITIVE_INFINITY;
        };
    }

    /**
     * The nodes of the loop and of the rows left over; the numbers of new values begin at {@code
     * next}.
     */
    List<Node> nodes(int next) {
        var emitter = new Emitter(next);
        var first = new ArrayList<Value>();
        for (var axis : sums)
            first.add(emitter.emit(new Fill(result(axis).type(), nothing(axis.combine()))));
        var inputs = new ArrayList<>(constants);
        inputs.addAll(first);
        inputs.addAll(slices);
        var kernel =
                new Control.Scan(
                        body(tile),
                        times(),
                        constants.size(),
                        sums.size(),
                        false,
                        false,
                        new Control.Checkpointing.Nothing());
        var outputs = new ArrayList<Value>();
        for (var axis : sums) outputs.add(result(axis));
        outputs.addAll(stacked);
        var made =
                left() == 0 ? outputs : outputs.stream().map(v -> emitter.fresh(v.type())).toList();
        emitter.add(loop(kernel, made), inputs, made);
        if (left() > 0) {
            var here = emitter.rest(made.subList(0, sums.size()));
            for (int i = 0; i < sums.size(); i++) emitter.rename(here.get(i), outputs.get(i));
            for (int i = sums.size(); i < made.size(); i++)
                emitter.add(
                        appending(outputs.get(i)),
                        List.of(made.get(i), here.get(i)),
                        List.of(outputs.get(i)));
        }
        return emitter.nodes;
    }

    private Op loop(Control.Scan kernel, List<Value> outputs) {
        var name = "tiles(%d of %d rows)".formatted(times(), tile);
        var types = outputs.stream().map(Value::type).toList();
        return new Lowered(name, kernel, types, Set.of(), List.of());
    }

    /** Writes the rows that are left over after those that the loop stacked. */
    private Op appending(Value v) {
        int row = Math.toIntExact(v.type().size() / rows);
        var all = Shape.of(rows, row);
        var parts =
                List.of(
                        new View.Part(all, List.of(0, 0), List.of(1, 1)),
                        new View.Part(
                                Shape.of(left(), row), List.of(times() * tile, 0), List.of(1, 1)));
        return new Lowered(
                "append",
                new Kernel.Assemble(all, 0, parts),
                List.of(v.type()),
                Set.of(),
                List.of());
    }

    /** Collects nodes, and numbers their new values. */
    private final class Emitter {
        final List<Node> nodes = new ArrayList<>();
        private int next;

        Emitter(int next) {
            this.next = next;
        }

        Value fresh(Type type) {
            return new Value(next++, type);
        }

        Value emit(Op op) {
            var out = fresh(op.infer(List.of()).getFirst());
            add(op, List.of(), List.of(out));
            return out;
        }

        void add(Op op, List<Value> inputs, List<Value> outputs) {
            var at = axes.getFirst().node();
            boolean reverse = axes.stream().allMatch(a -> a.node().reverse());
            nodes.add(new Node(op, inputs, outputs, at.region(), reverse));
        }

        /** Computes the rows that are left over, beginning with the sums so far. */
        List<Value> rest(List<Value> sofar) {
            var body = body(left());
            var here = new Table<Value, Value>();
            var arguments = new ArrayList<>(constants);
            arguments.addAll(sofar);
            for (Value v : slices) {
                var out = fresh(some(v, left()));
                add(lastRows(v, out.type()), List.of(v), List.of(out));
                arguments.add(out);
            }
            for (int i = 0; i < arguments.size(); i++)
                here.put(body.params().get(i), arguments.get(i));
            for (Node node : body.nodes()) {
                var outputs = new ArrayList<Value>();
                for (Value v : node.outputs()) {
                    outputs.add(fresh(v.type()));
                    here.put(v, outputs.getLast());
                }
                nodes.add(node.on(node.inputs().stream().map(here::at).toList(), outputs));
            }
            return body.results().stream().map(here::at).toList();
        }

        private Op lastRows(Value v, Type type) {
            long row = v.type().size() / rows;
            var shape = type.shape();
            var strides = View.contiguous(shape).strides();
            var view = new View((long) times() * tile * row, strides);
            return new Lowered(
                    "rows",
                    Kernel.Map.of(shape, List.of(view), Scalar.arg(0)),
                    List.of(type),
                    Set.of(),
                    List.of());
        }

        /** Lets the node that computes {@code from} compute {@code to} instead. */
        void rename(Value from, Value to) {
            for (int i = 0; i < nodes.size(); i++) {
                var node = nodes.get(i);
                if (!node.outputs().contains(from)) continue;
                var outputs = node.outputs().stream().map(v -> v.equals(from) ? to : v).toList();
                nodes.set(i, node.on(node.inputs(), outputs));
            }
        }
    }
}
