package dev.ebb.pass;

import dev.ebb.ir.Control;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Inverse;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Region;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Table;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Value;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/** A node that is about to be fused into another. */
final class FusionCandidate {
    final Node node;
    List<Value> outputs;
    private final List<Value> first;
    Kernel kernel;
    List<Value> inputs;
    String name;
    boolean gone;

    /**
     * The states in whose memory the outputs are stored, in order; empty if they are stored
     * elsewhere.
     */
    List<Value> places = List.of();

    /** The labels of all ops that have been fused into this piece. */
    final Set<String> labels = new TreeSet<>();

    /**
     * {@code node} reading {@code inputs}; graphs inside its kernel are lowered by {@code bodies}.
     */
    FusionCandidate(Node node, List<Value> inputs, UnaryOperator<Graph> bodies) {
        this.node = node;
        this.kernel =
                node.kernel() instanceof Control control
                        ? control.withBodies(control.bodies().stream().map(bodies).toList())
                        : node.kernel();
        this.inputs = inputs;
        this.first = inputs;
        this.outputs = node.outputs();
        this.name = node.op().name();
        labels.addAll(node.labels());
    }

    /** Which pieces read each value. */
    static Table<Value, Set<FusionCandidate>> readers(List<FusionCandidate> pieces) {
        var readers = new Table<Value, Set<FusionCandidate>>();
        for (FusionCandidate piece : pieces) {
            for (Value v : piece.inputs) {
                if (!readers.has(v)) readers.put(v, new LinkedHashSet<>());
                readers.at(v).add(piece);
            }
        }
        return readers;
    }

    /** The kernel with its inputs. */
    OperandViews.Bound bound() {
        return new OperandViews.Bound(kernel, inputs);
    }

    /** Replaces the kernel and inputs by {@code bound}, which also computes {@code from}. */
    void take(OperandViews.Bound bound, FusionCandidate from) {
        kernel = bound.kernel();
        inputs = bound.inputs();
        labels.addAll(from.labels);
        if (!from.inputs.isEmpty()) name = from.name + "+" + name;
    }

    boolean is(Trait trait) {
        return node.op().traits().contains(trait);
    }

    Region region() {
        return node.region();
    }

    /**
     * The inverses that rebuild its inputs, if its operands and results are still those of its
     * node.
     */
    List<Inverse> inverses() {
        if (merged()) return List.of();
        return node.op().inverses(node.inputTypes()).stream()
                .map(inverse -> Lowered.lowered(inverse, node))
                .toList();
    }

    private boolean merged() {
        return !inputs.equals(first)
                || !outputs.equals(node.outputs())
                || !name.equals(node.op().name());
    }

    /**
     * Whether the output equals the input in elements, order and type, so that readers can read the
     * input.
     */
    boolean isCopy() {
        return isMove()
                && kernel instanceof Kernel.Map map
                && map.operands().getFirst().isContiguous(map.shape())
                && inputs.getFirst().type().size() == map.shape().size()
                && node.op().traits().isEmpty();
    }

    /** Whether the output consists of unchanged elements of one operand. */
    boolean isMove() {
        return kernel instanceof Kernel.Map map
                && map.bodies().equals(List.of(Scalar.arg(0)))
                && map.operands().size() == 1
                && inputs.getFirst().type().dtype() == outputs.getFirst().type().dtype();
    }

    /** Whether this stores its second operand in the memory of its first. */
    boolean isStore() {
        return kernel instanceof Kernel.Map map
                && map.bodies().equals(List.of(Scalar.arg(1)))
                && map.operands().size() == 2
                && map.operands().stream().allMatch(v -> v.isContiguous(map.shape()));
    }
}
