package dev.ebb.pass;

import dev.ebb.ir.DType;
import dev.ebb.ir.FusionLimits;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Table;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Lowers ops to kernels and merges them: reshapes vanish, views are read through, elementwise
 * chains become one Map, flow into reductions, and follow a contraction as its epilogue; reductions
 * of the same elements become one kernel, and so do updates of states that read the same values. A
 * cheap producer is computed again in each of its consumers where loading it would cost more: the
 * first and cheapest kind of rematerialisation. Every rewrite keeps every bit: an elementwise value
 * is the same in a register as in memory, and where storing would have rounded it (sixteen-bit
 * floats), the merged body rounds too.
 */
public final class Fuse {
    private final Graph graph;
    private final FusionLimits limits;
    private final List<FusionCandidate> pieces = new ArrayList<>();
    private final Table<Value, Value> standsFor = new Table<>();
    private final Table<Value, FusionCandidate> producer = new Table<>();
    private final Set<Value> results = new HashSet<>();

    private Fuse(Graph graph, FusionLimits limits) {
        this.graph = graph;
        this.limits = limits;
    }

    /** {@code graph} fused with the limits of a processor. */
    public static Graph of(Graph graph) {
        return of(graph, FusionLimits.processor());
    }

    /** {@code graph} fused with the limits of a device. */
    public static Graph of(Graph graph, FusionLimits limits) {
        var fuse = fused(graph, limits);
        new HorizontalFusion(fuse.pieces, limits).merge();
        return fuse.build();
    }

    /**
     * As {@link #of}, with every state updated by a kernel of its own: offloaded states then need
     * not be in memory together.
     */
    public static Graph oneByOne(Graph graph, FusionLimits limits) {
        return fused(graph, limits).build();
    }

    private static Fuse fused(Graph plain, FusionLimits limits) {
        var graph = NarrowGathers.of(plain);
        var fuse = new Fuse(graph, limits);
        fuse.lower(body -> of(Simplify.of(body), limits));
        fuse.through().reads();
        fuse.dropUnread();
        fuse.through().writes();
        fuse.dropUnread();
        fuse.through().joins();
        fuse.dropUnread();
        new StateStores(fuse.pieces, fuse.producer, fuse.results, graph.params()).settle();
        if (limits.biases()) fuse.intoEpilogues(Fuse::isBias, Integer.MAX_VALUE);
        fuse.intoConsumers();
        fuse.dropUnusedOperands();
        fuse.intoEpilogues((_, _) -> true, limits.epilogue());
        new RowFusion(fuse.pieces, fuse.producer, fuse.results, limits).fuse();
        new FactorDecoding(fuse.pieces, fuse.results, limits).fuse();
        fuse.dropUnread();
        new JointRows(fuse.pieces, fuse.producer, limits).merge();
        new JointFolds(fuse.pieces, fuse.producer, limits).merge();
        new Duplication(fuse.pieces, fuse.producer, fuse.results, limits).merge();
        fuse.dropUnread();
        return fuse;
    }

    /**
     * {@code graph} with each op as its own kernel: the form with which {@link #of} is compared.
     */
    public static Graph unfused(Graph graph) {
        var fuse = new Fuse(graph, FusionLimits.processor());
        fuse.lower(Fuse::unfused);
        return fuse.build();
    }

    private Value source(Value v) {
        return standsFor.find(v).orElse(v);
    }

    private void lower(UnaryOperator<Graph> bodies) {
        for (Node node : graph.nodes()) {
            var piece =
                    new FusionCandidate(
                            node, node.inputs().stream().map(this::source).toList(), bodies);
            if (piece.isCopy()) {
                standsFor.put(node.outputs().getFirst(), piece.inputs.getFirst());
                producer.find(piece.inputs.getFirst())
                        .ifPresent(p -> p.labels.addAll(piece.labels));
                continue;
            }
            pieces.add(piece);
            piece.outputs.forEach(v -> producer.put(v, piece));
        }
        graph.results().forEach(r -> results.add(source(r)));
    }

    private ViewPropagation through() {
        return new ViewPropagation(pieces, producer, results);
    }

    private void dropUnread() {
        var read = new HashSet<>(results);
        for (FusionCandidate piece : pieces.reversed()) {
            piece.gone |=
                    !piece.is(Trait.EFFECT) && piece.outputs.stream().noneMatch(read::contains);
            if (!piece.gone) read.addAll(piece.inputs);
        }
        pieces.removeIf(p -> p.gone);
    }

    /** Drops operands that no body uses: their values need not be kept for the kernel. */
    private void dropUnusedOperands() {
        for (FusionCandidate piece : pieces) {
            boolean reads =
                    piece.kernel instanceof Kernel.Map || piece.kernel instanceof Kernel.Fold;
            if (!reads || !piece.places.isEmpty() || !piece.node.op().traits().isEmpty()) continue;
            var used = OperandViews.used(piece.bound());
            piece.kernel = used.kernel();
            piece.inputs = used.inputs();
        }
        dropUnread();
    }

    private void intoConsumers() {
        var readers = FusionCandidate.readers(pieces);
        var sums = new RunningSums(pieces, producer);
        for (FusionCandidate piece : pieces) {
            if (!(piece.kernel instanceof Kernel.Map) && !(piece.kernel instanceof Kernel.Fold))
                continue;
            if (piece.is(Trait.ALONE) || isMadeByReaders(piece, readers)) continue;
            for (int i = 0; i < piece.inputs.size(); i++) {
                var from = producer.find(piece.inputs.get(i));
                if (from.isPresent()
                        && mayFlowInto(from.get(), piece, readers)
                        && !sums.isRunning(from.get(), piece)) {
                    // the operand was replaced by its own operands: visit this position again
                    if (inline(piece, i, from.get())) {
                        flowed(from.get(), piece, readers);
                        i--;
                    }
                }
            }
        }
        dropUnread();
    }

    /**
     * Whether each reader will compute this value itself from a smaller one, such as a widened
     * sixteen-bit float; then the producer of the smaller value should not compute this one too.
     */
    private boolean isMadeByReaders(
            FusionCandidate piece, Table<Value, Set<FusionCandidate>> readers) {
        if (piece.inputs.size() != 1 || !(piece.kernel instanceof Kernel.Map map)) return false;
        var from = piece.inputs.getFirst().type();
        var to = piece.outputs.getFirst().type();
        if (map.bodies().size() != 1
                || from.size() != to.size()
                || from.bytes() >= to.bytes()
                || map.bodies().getFirst().cost() > limits.cheap()
                || !piece.node.op().traits().isEmpty()
                || results.contains(piece.outputs.getFirst())) return false;
        var all = readers.find(piece.outputs.getFirst()).orElse(Set.of());
        return all.size() > 1
                && all.stream()
                        .allMatch(
                                r ->
                                        r.kernel instanceof Kernel.Map
                                                || r.kernel instanceof Kernel.Fold);
    }

    /** Updates {@code readers} after {@code from} was fused into {@code into}. */
    private void flowed(
            FusionCandidate from,
            FusionCandidate into,
            Table<Value, Set<FusionCandidate>> readers) {
        var value = from.outputs.getFirst();
        from.inputs.forEach(v -> readers.at(v).add(into));
        if (!into.inputs.contains(value)) readers.at(value).remove(into);
        if (!readers.at(value).isEmpty() || results.contains(value)) return;
        from.gone = true;
        from.inputs.forEach(v -> readers.at(v).remove(from));
    }

    private boolean mayFlowInto(
            FusionCandidate from,
            FusionCandidate into,
            Table<Value, Set<FusionCandidate>> readers) {
        if (!(from.kernel instanceof Kernel.Map map) || map.bodies().size() != 1) return false;
        if (!from.node.op().traits().isEmpty()) return false;
        var value = from.outputs.getFirst();
        int cost = map.bodies().getFirst().cost();
        long own = map.shape().size();
        long walked = OperandViews.walked(into.kernel, 0).size();
        if (walked > own && cost > 0) return false;
        long large =
                from.inputs.stream()
                        .filter(v -> v.type().size() >= own && own > 1)
                        .distinct()
                        .count();
        if (large == 0 && cost <= limits.cheapFromNothing()) return true;
        if (results.contains(value)) return false;
        var all = readers.at(value);
        if (shrinks(from) && !shrinksOn(from, into) && !operandIsReadAnyway(from, readers))
            return false;
        if (all.size() == 1) return true;
        return large <= 1
                && cost <= limits.cheap()
                && all.stream()
                        .allMatch(
                                r ->
                                        r.kernel instanceof Kernel.Map
                                                || r.kernel instanceof Kernel.Fold);
    }

    /**
     * Whether {@code from} is a backward node whose result is smaller than the forward value it is
     * computed from, such as a mask: keeping the result takes less memory than keeping that value.
     */
    private static boolean shrinks(FusionCandidate from) {
        long bytes = from.outputs.getFirst().type().bytes();
        return from.node.reverse()
                && from.inputs.stream().anyMatch(v -> v.type().bytes() >= 4 * bytes && bytes > 64);
    }

    private static boolean shrinksOn(FusionCandidate from, FusionCandidate into) {
        return into.outputs.getFirst().type().bytes() <= from.outputs.getFirst().type().bytes();
    }

    private boolean operandIsReadAnyway(
            FusionCandidate from, Table<Value, Set<FusionCandidate>> readers) {
        return from.inputs.stream()
                .filter(v -> v.type().size() >= from.outputs.getFirst().type().size())
                .allMatch(
                        v ->
                                producer.find(v).map(p -> p.node.reverse()).orElse(true)
                                        || readers.at(v).stream()
                                                .anyMatch(r -> r != from && r.node.reverse()));
    }

    /**
     * Computes {@code from} where {@code into} reads operand {@code i}, if views and sizes allow.
     */
    private boolean inline(FusionCandidate into, int i, FusionCandidate from) {
        var merged = Inlining.of(into.bound(), i, from.bound(), from.outputs.getFirst(), limits);
        merged.ifPresent(bound -> into.take(bound, from));
        return merged.isPresent();
    }

    /**
     * Whether a map adds a vector to every row of its operand {@code i}, and rounds to the type of
     * that operand.
     */
    private static boolean isBias(FusionCandidate piece, int i) {
        var map = (Kernel.Map) piece.kernel;
        if (piece.inputs.size() != 2) return false;
        int j = 1 - i;
        var sum = Scalar.arg(i).add(Scalar.arg(j));
        var turned = Scalar.arg(j).add(Scalar.arg(i));
        var body = map.bodies().getFirst();
        if (!body.equals(sum) && !body.equals(turned)) return false;
        var type = piece.outputs.getFirst().type().dtype();
        if (piece.inputs.stream().anyMatch(v -> v.type().dtype() != type)) return false;
        if (!type.isFloat() || type.compute() != DType.F32) return false;
        int last = map.shape().rank() - 1;
        var view = map.operands().get(j);
        for (int d = 0; d < last; d++) {
            if (view.stride(d) != 0 && map.shape().dim(d) > 1) return false;
        }
        return last >= 1 && view.stride(last) == 1 && map.shape().dim(last) > 1;
    }

    /**
     * Fuses the maps that {@code wanted} selects into the products that compute their operands, as
     * epilogues.
     */
    private void intoEpilogues(ObjIntPredicate wanted, int most) {
        var readers = FusionCandidate.readers(pieces);
        for (FusionCandidate piece : pieces) {
            if (!(piece.kernel instanceof Kernel.Map map) || map.bodies().size() != 1) continue;
            if (!piece.node.op().traits().isEmpty()
                    || OperandViews.knowsItsPlace(map.bodies().getFirst())) continue;
            for (int i = 0; i < piece.inputs.size(); i++) {
                var value = piece.inputs.get(i);
                var from = producer.find(value);
                if (from.isEmpty() || !(from.get().kernel instanceof Kernel.Contract)) continue;
                if (results.contains(value) || readers.at(value).size() > 1 || from.get().gone)
                    continue;
                if (wanted.test(piece, i) && follow(from.get(), piece, i, map, most)) break;
            }
        }
        dropUnread();
    }

    /**
     * Fuses the elementwise {@code map} into the contraction that computes its operand {@code i},
     * as its epilogue.
     */
    private boolean follow(
            FusionCandidate contraction, FusionCandidate piece, int i, Kernel.Map map, int most) {
        var c = (Kernel.Contract) contraction.kernel;
        var shape = c.shape();
        var value = piece.inputs.get(i);
        if (map.shape().size() != shape.size()
                || piece.inputs.stream().filter(value::equals).count() > 1) return false;
        if (!map.operands().get(i).isContiguous(map.shape())) return false;
        if (!value.type()
                .dtype()
                .compute()
                .equals(piece.outputs.getFirst().type().dtype().compute())) return false;
        var extras = new ArrayList<>(c.extras());
        var inputs = new ArrayList<>(contraction.inputs);
        int before = extras.size() + 1;
        var position = new int[map.operands().size()];
        for (int j = 0; j < position.length; j++) {
            if (j == i) continue;
            var view = Views.refactor(map.shape(), map.operands().get(j), shape);
            if (view.isEmpty()) return false;
            position[j] = before + extras.size() - c.extras().size();
            extras.add(view.get());
            inputs.add(piece.inputs.get(j));
        }
        var sum = OperandViews.asStored(c.epilogue(), value.type().dtype());
        var body =
                map.bodies()
                        .getFirst()
                        .mapArgs(
                                a -> {
                                    int j = ((Scalar.Arg) a).index();
                                    return j == i ? sum : Scalar.arg(position[j]);
                                });
        if (body.cost() > most || inputs.size() > limits.operands()) return false;
        piece.kernel =
                new Kernel.Contract(c.batch(), c.m(), c.n(), c.k(), c.a(), c.b(), extras, body);
        piece.inputs = inputs;
        piece.name = contraction.name + "+" + piece.name;
        piece.labels.addAll(contraction.labels);
        contraction.gone = true;
        return true;
    }

    /** Selects the operands of a map into whose product the map may be fused. */
    private interface ObjIntPredicate {
        boolean test(FusionCandidate piece, int operand);
    }

    private Graph build() {
        var nodes = new ArrayList<Node>();
        for (FusionCandidate piece : pieces) {
            List<Type> types = piece.outputs.stream().map(Value::type).toList();
            var op =
                    new Lowered(
                            piece.name,
                            piece.kernel,
                            types,
                            piece.node.op().traits(),
                            piece.inverses());
            nodes.add(piece.node.with(op, piece.inputs, piece.outputs).labelled(piece.labels));
        }
        return new Graph(
                graph.params(), nodes, graph.results().stream().map(this::source).toList());
    }
}
