package dev.ebb.bench.adbench;

import dev.ebb.Loop;
import dev.ebb.Next;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Random;
import java.util.SequencedMap;

/**
 * The loss of a character model whose cells work element by element: how well each character of a
 * sequence predicts the next.
 */
final class Lstm {
    private Lstm() {}

    /**
     * @param gates for each layer the weights and then the biases of its four gates, {@code
     *     [layers, 2, 4, b]}
     * @param ends the factor of the input, the factor of the output and its bias, {@code [3, b]}
     */
    record Parameters(Tensor gates, Tensor ends) {}

    /** The previous output of every layer, and its cells, {@code [layers, b]} each. */
    record State(Tensor hidden, Tensor cell) {}

    private record Pair(Tensor now, Tensor next) {}

    /** The sequence, and the state before its first character. */
    record Given(Tensor sequence, State state) {}

    /**
     * @param state for each layer its previous output, then its cells
     */
    record Data(
            int layers,
            int b,
            int length,
            double[] gates,
            double[] ends,
            double[] state,
            double[] sequence) {

        static Data random(int layers, int b, int length) {
            var random = new Random(length);
            return new Data(
                    layers,
                    b,
                    length,
                    random.doubles(layers * 8L * b, -1, 1).toArray(),
                    random.doubles(3L * b, -1, 1).toArray(),
                    random.doubles(layers * 2L * b, -1, 1).toArray(),
                    random.doubles((long) length * b, 0, 1).toArray());
        }

        Parameters parameters() {
            return new Parameters(
                    Array.of(Shape.of(layers, 2, 4, b), gates), Array.of(Shape.of(3, b), ends));
        }

        SequencedMap<String, Array> given() {
            var given = new LinkedHashMap<String, Array>();
            given.put("gates", Array.of(Shape.of(layers, 2, 4, b), gates));
            given.put("ends", Array.of(Shape.of(3, b), ends));
            given.put("state", Array.of(Shape.of(layers, 2, b), state));
            given.put("sequence", Array.of(Shape.of(length, b), sequence));
            return given;
        }

        Given sequenceAndState() {
            var both = Array.of(Shape.of(layers, 2, b), state);
            return new Given(
                    Array.of(Shape.of(length, b), sequence),
                    new State(both.at(1, 0), both.at(1, 1)));
        }
    }

    static Tensor loss(Parameters p, Given given) {
        var sequence = given.sequence;
        int length = sequence.dim(0);
        int layers = p.gates.dim(0);
        int b = p.ends.dim(1);
        var pairs = new Pair(sequence.slice(0, 0, length - 1), sequence.slice(0, 1, length));
        var terms =
                Loop.scan(given.state, pairs, (State s, Pair x) -> round(p, s, x, layers))
                        .stacked();
        return terms.sum().div(-(double) b * (length - 1));
    }

    private static Next<State, Tensor> round(Parameters p, State s, Pair x, int layers) {
        var input = x.now.mul(p.ends.at(0, 0));
        var hidden = new Tensor[layers];
        var cells = new Tensor[layers];
        for (int l = 0; l < layers; l++) {
            var weight = p.gates.at(0, l).at(0, 0);
            var bias = p.gates.at(0, l).at(0, 1);
            var before = s.hidden.at(0, l);
            var forget = input.mul(weight.at(0, 0)).add(bias.at(0, 0)).sigmoid();
            var enter = before.mul(weight.at(0, 1)).add(bias.at(0, 1)).sigmoid();
            var leave = input.mul(weight.at(0, 2)).add(bias.at(0, 2)).sigmoid();
            var change = before.mul(weight.at(0, 3)).add(bias.at(0, 3)).tanh();
            cells[l] = s.cell.at(0, l).mul(forget).add(enter.mul(change));
            hidden[l] = leave.mul(cells[l].tanh());
            input = hidden[l];
        }
        var foretold = input.mul(p.ends.at(0, 1)).add(p.ends.at(0, 2));
        var logs = foretold.sub(foretold.exp().sum().add(2).log());
        var next = new State(Tensors.stack(List.of(hidden), 0), Tensors.stack(List.of(cells), 0));
        return new Next<>(next, x.next.mul(logs).sum());
    }
}
