package dev.ebb.nn.onnx;

import dev.ebb.Loop;
import dev.ebb.Next;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;

/**
 * Branches and loops. A branch whose condition is known while the model is traced is replaced by
 * the branch taken; any other becomes a branch of Ebb's, and a scan a loop of Ebb's. A {@code Loop}
 * is unrolled, so its count and conditions must be known during tracing.
 */
final class ControlRules {
    private static final int MOST_ROUNDS = 10_000;

    private ControlRules() {}

    static OpTable table() {
        return new OpTable()
                .many("If", 1, ControlRules::branch)
                .many("Loop", 1, ControlRules::loop)
                .many("Scan", 9, ControlRules::scan);
    }

    private static List<Tensor> branch(OnnxNode node, Operands in) {
        var yes = node.graph("then_branch");
        var no = node.graph("else_branch");
        if (in.tensor(0) instanceof Array) return (in.truth(0) ? yes : no).run(in.around());
        return Loop.cond(
                in.tensor(0).reshape(Shape.scalar()),
                () -> yes.run(in.around()),
                () -> no.run(in.around()));
    }

    /** The outputs of a body for these inputs. */
    private static List<Tensor> round(
            OnnxNode node, Operands in, OnnxGraph body, List<Tensor> given) {
        if (given.size() != body.inputs().size())
            throw node.refused(
                    "its body takes " + body.inputs().size() + " inputs, not " + given.size());
        var values = new HashMap<>(in.around());
        for (int i = 0; i < given.size(); i++) values.put(body.inputs().get(i), given.get(i));
        return body.run(values);
    }

    private static List<Tensor> loop(OnnxNode node, Operands in) {
        var body = node.graph("body");
        int most = in.has(0) ? in.number(0) : Integer.MAX_VALUE;
        var goesOn = in.maybe(1);
        var carried = in.from(2);
        int width = carried.size();
        var stacks = new ArrayList<List<Tensor>>();
        for (int i = width + 1; i < body.outputs().size(); i++) stacks.add(new ArrayList<>());
        for (int i = 0; i < most; i++) {
            if (goesOn.isPresent() && !holds(node, goesOn.get(), i)) break;
            if (i == MOST_ROUNDS) throw node.refused("more than " + MOST_ROUNDS + " rounds");
            var given = new ArrayList<Tensor>();
            given.add(Array.scalar((long) i));
            given.add(goesOn.orElseGet(() -> Array.of(Shape.scalar(), true)));
            given.addAll(carried);
            var made = round(node, in, body, given);
            if (in.has(1)) goesOn = Optional.of(made.getFirst());
            carried = made.subList(1, width + 1);
            for (int s = 0; s < stacks.size(); s++) stacks.get(s).add(made.get(width + 1 + s));
        }
        var all = new ArrayList<>(carried);
        for (var stack : stacks) {
            if (stack.isEmpty())
                throw node.refused("it runs no round, so the shape of what it stacks is unknown");
            all.add(Tensors.stack(stack, 0));
        }
        return all;
    }

    private static boolean holds(OnnxNode node, Tensor condition, int round) {
        if (condition instanceof Array array) return array.data().get(0) != 0;
        throw node.refused(
                "whether round "
                        + round
                        + " runs depends on data, and has to be known before the model runs");
    }

    private static List<Tensor> scan(OnnxNode node, Operands in) {
        var body = node.graph("body");
        int scanned = node.integer("num_scan_inputs", 0);
        int states = in.size() - scanned;
        var sequences = new ArrayList<Tensor>();
        for (int i = 0; i < scanned; i++) {
            var x = in.tensor(states + i);
            int axis = at(node, "scan_input_axes", i);
            var rows = x.moveAxis(axis, 0);
            sequences.add(at(node, "scan_input_directions", i) == 1 ? rows.flip(0) : rows);
        }
        var done =
                Loop.scan(
                        in.from(0).subList(0, states),
                        List.copyOf(sequences),
                        (List<Tensor> carry, List<Tensor> row) -> {
                            var given = new ArrayList<>(carry);
                            given.addAll(row);
                            var made = round(node, in, body, given);
                            return new Next<>(
                                    List.copyOf(made.subList(0, states)),
                                    List.copyOf(made.subList(states, made.size())));
                        });
        var all = new ArrayList<>(done.carry());
        for (int i = 0; i < done.stacked().size(); i++) {
            var rows = done.stacked().get(i);
            var ordered = at(node, "scan_output_directions", i) == 1 ? rows.flip(0) : rows;
            all.add(ordered.moveAxis(0, at(node, "scan_output_axes", i)));
        }
        return all;
    }

    private static int at(OnnxNode node, String key, int i) {
        var list = node.list(key);
        return list.isEmpty() ? 0 : list.get(i);
    }
}
