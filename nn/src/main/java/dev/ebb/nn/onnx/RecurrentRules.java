package dev.ebb.nn.onnx;

import dev.ebb.Loop;
import dev.ebb.Next;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Recurrent layers: one product over the whole sequence, then a loop over its steps, in each
 * direction. As loops they are planned within a budget and differentiated like any other.
 */
final class RecurrentRules {
    private RecurrentRules() {}

    static OpTable table() {
        return new OpTable()
                .many("RNN", 7, (n, in) -> layer(n, in, new Kind(1, 1, List.of("Tanh"))))
                .many("GRU", 7, (n, in) -> layer(n, in, new Kind(3, 1, List.of("Sigmoid", "Tanh"))))
                .many(
                        "LSTM",
                        7,
                        (n, in) ->
                                layer(n, in, new Kind(4, 2, List.of("Sigmoid", "Tanh", "Tanh"))));
    }

    /**
     * @param gates the number of gates, each with as many rows of weights as the hidden size
     * @param states the number of states carried from step to step
     * @param functions the default activations of one direction
     */
    private record Kind(int gates, int states, List<String> functions) {}

    /** The tensors of one direction. */
    private record Direction(
            Kind kind,
            int hidden,
            Tensor recurrent,
            Optional<Tensor> recurrentBias,
            List<Tensor> peepholes,
            List<Activations.Function> functions,
            double clip,
            boolean coupled,
            boolean resetFirst) {

        private Tensor bounded(Tensor x) {
            return clip > 0 ? x.clamp(-clip, clip) : x;
        }

        private Tensor applied(int function, Tensor x) {
            return functions.get(function).apply(bounded(x));
        }

        /** The states after a step; the first is its output. */
        List<Tensor> step(Tensor driven, List<Tensor> before) {
            return switch (kind.gates) {
                case 1 -> List.of(applied(0, driven.add(product(before.getFirst(), 0, 1))));
                case 3 -> List.of(gru(driven, before.getFirst()));
                default -> lstm(driven, before.getFirst(), before.getLast());
            };
        }

        private Tensor part(Tensor of, int first, int count) {
            int axis = of.rank() - 1;
            return of.slice(axis, first * hidden, (first + count) * hidden);
        }

        /** The previous output times the weights of some gates, plus their bias. */
        private Tensor product(Tensor h, int first, int count) {
            var rows = recurrent.slice(0, first * hidden, (first + count) * hidden);
            var y = h.matmul(rows.transpose());
            return recurrentBias.map(b -> y.add(part(b, first, count))).orElse(y);
        }

        private Tensor gru(Tensor driven, Tensor h) {
            var gates = part(driven, 0, 2).add(product(h, 0, 2));
            var update = applied(0, part(gates, 0, 1));
            var reset = applied(0, part(gates, 1, 1));
            var back = resetFirst ? product(reset.mul(h), 2, 1) : reset.mul(product(h, 2, 1));
            var fresh = applied(1, part(driven, 2, 1).add(back));
            return update.literal(1).sub(update).mul(fresh).add(update.mul(h));
        }

        private Tensor peeped(Tensor gate, int peephole, Tensor cell) {
            return peepholes.isEmpty() ? gate : gate.add(peepholes.get(peephole).mul(cell));
        }

        private List<Tensor> lstm(Tensor driven, Tensor h, Tensor cell) {
            var gates = driven.add(product(h, 0, 4));
            var input = applied(0, peeped(part(gates, 0, 1), 0, cell));
            var forget =
                    coupled
                            ? input.literal(1).sub(input)
                            : applied(0, peeped(part(gates, 2, 1), 2, cell));
            var next = forget.mul(cell).add(input.mul(applied(1, part(gates, 3, 1))));
            var output = applied(0, peeped(part(gates, 1, 1), 1, next));
            return List.of(output.mul(applied(2, next)), next);
        }
    }

    private static List<Tensor> layer(OnnxNode node, Operands in, Kind kind) {
        boolean rowsFirst = node.flag("layout", false);
        var x = rowsFirst ? in.tensor(0).moveAxis(1, 0) : in.tensor(0);
        var weights = in.tensor(1);
        int directions = directions(node);
        int hidden = in.tensor(2).dim(in.tensor(2).rank() - 1);
        requireShapes(node, in, kind, directions, hidden);
        var steps = new ArrayList<Tensor>();
        var last = new ArrayList<List<Tensor>>();
        for (int s = 0; s < kind.states; s++) last.add(new ArrayList<>());
        for (int d = 0; d < directions; d++) {
            boolean backwards = d == 1 || node.text("direction", "forward").equals("reverse");
            var direction = direction(node, in, kind, hidden, d, directions);
            var driven = x.matmul(weights.at(0, d).transpose());
            int width = kind.gates * hidden;
            if (in.has(3)) driven = driven.add(in.tensor(3).at(0, d).slice(0, 0, width));
            var start = new ArrayList<Tensor>();
            for (int s = 0; s < kind.states; s++) {
                int at = 5 + s;
                var given = in.maybe(at).map(t -> rowsFirst ? t.moveAxis(1, 0) : t);
                int place = d;
                start.add(
                        given.map(t -> t.at(0, place))
                                .orElseGet(
                                        () ->
                                                Tensors.zeros(
                                                        x.dtype(), Shape.of(x.dim(1), hidden))));
            }
            var run = run(direction, driven, start, in.maybe(4), backwards);
            steps.add(run.steps);
            for (int s = 0; s < kind.states; s++) last.get(s).add(run.last.get(s));
        }
        var all = new ArrayList<Tensor>();
        var y = Tensors.stack(steps, 1);
        all.add(rowsFirst ? y.permute(2, 0, 1, 3) : y);
        for (var states : last) all.add(Tensors.stack(states, rowsFirst ? 1 : 0));
        return all;
    }

    private static int directions(OnnxNode node) {
        return switch (node.text("direction", "forward")) {
            case "forward", "reverse" -> 1;
            case "bidirectional" -> 2;
            default -> throw node.refused("the direction " + node.text("direction", ""));
        };
    }

    private static void requireShapes(
            OnnxNode node, Operands in, Kind kind, int directions, int hidden) {
        long declared = node.whole("hidden_size", hidden);
        boolean fits = in.tensor(0).rank() == 3 && in.tensor(1).rank() == 3 && declared == hidden;
        if (fits) {
            var rows = Shape.of(directions, kind.gates * hidden, in.tensor(1).dim(2));
            fits =
                    in.tensor(1).shape().equals(rows)
                            && in.tensor(2).shape().equals(rows.with(2, hidden));
        }
        if (!fits)
            throw node.refused(
                    "weights for "
                            + kind.gates
                            + " gates of "
                            + declared
                            + " in "
                            + directions
                            + " directions are needed; its inputs are "
                            + in);
    }

    private static Direction direction(
            OnnxNode node, Operands in, Kind kind, int hidden, int d, int directions) {
        int width = kind.gates * hidden;
        Optional<Tensor> bias = in.maybe(3).map(b -> b.at(0, d).slice(0, width, 2 * width));
        var peepholes = new ArrayList<Tensor>();
        if (kind.states == 2 && in.has(7)) peepholes.addAll(in.tensor(7).at(0, d).chunk(3, 0));
        var functions = Activations.of(node, kind.functions, directions);
        int each = kind.functions.size();
        return new Direction(
                kind,
                hidden,
                in.tensor(2).at(0, d),
                bias,
                peepholes,
                functions.subList(d * each, (d + 1) * each),
                node.number("clip", 0),
                node.flag("input_forget", false),
                !node.flag("linear_before_reset", false));
    }

    /** The outputs of all steps, in the order of the sequence, and the states after the last. */
    private record Run(Tensor steps, List<Tensor> last) {}

    /**
     * Rows of the batch may be shorter than the sequence: beyond its length a row's outputs are
     * zeros and its states do not change.
     */
    private static Run run(
            Direction direction,
            Tensor driven,
            List<Tensor> start,
            Optional<Tensor> lengths,
            boolean backwards) {
        int time = driven.dim(0);
        int batch = driven.dim(1);
        var rows = new ArrayList<>(List.of(driven));
        lengths.ifPresent(
                l ->
                        rows.add(
                                Tensors.iota(DType.I64, Shape.of(time, batch, 1), 0)
                                        .lt(l.cast(DType.I64).reshape(1, batch, 1))));
        var done =
                Loop.scan(
                        List.copyOf(start),
                        rows.stream().map(r -> backwards ? r.flip(0) : r).toList(),
                        (List<Tensor> carry, List<Tensor> row) -> {
                            var next = direction.step(row.getFirst(), carry);
                            if (row.size() == 1) return new Next<>(next, List.of(next.getFirst()));
                            var within = row.getLast();
                            var kept = new ArrayList<Tensor>();
                            for (int s = 0; s < next.size(); s++)
                                kept.add(Tensors.where(within, next.get(s), carry.get(s)));
                            var out = next.getFirst();
                            return new Next<>(
                                    List.copyOf(kept),
                                    List.of(Tensors.where(within, out, out.literal(0))));
                        });
        var steps = done.stacked().getFirst();
        return new Run(backwards ? steps.flip(0) : steps, done.carry());
    }
}
