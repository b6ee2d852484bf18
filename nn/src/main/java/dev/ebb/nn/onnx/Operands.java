package dev.ebb.nn.onnx;

import dev.ebb.ir.DType;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.LongStream;

/** The inputs of one node, and the outer values that a graph inside it can read. */
final class Operands {
    private final OnnxNode node;
    private final Map<String, Tensor> around;

    /** An omitted input is empty. */
    private final List<Optional<Tensor>> all = new ArrayList<>();

    Operands(OnnxNode node, Map<String, Tensor> values) {
        this.node = node;
        this.around = values;
        for (var name : node.inputs())
            all.add(name.isEmpty() ? Optional.empty() : Optional.ofNullable(values.get(name)));
    }

    /** The outer values that a graph inside the node can read. */
    Map<String, Tensor> around() {
        return around;
    }

    int size() {
        return all.size();
    }

    boolean has(int i) {
        return i < all.size() && all.get(i).isPresent();
    }

    Tensor tensor(int i) {
        if (!has(i)) throw node.refused("its input " + i + " is left out");
        return all.get(i).get();
    }

    /** Input {@code i}; empty if it is omitted. */
    Optional<Tensor> maybe(int i) {
        return has(i) ? all.get(i) : Optional.empty();
    }

    /** All inputs from {@code first} on, none of which may be omitted. */
    List<Tensor> from(int first) {
        var given = new ArrayList<Tensor>();
        for (int i = first; i < all.size(); i++) given.add(tensor(i));
        return given;
    }

    /** Input {@code i}, whose elements must be known while the model is traced. */
    Array known(int i) {
        if (tensor(i) instanceof Array array) return array;
        throw node.refused(
                "its input "
                        + i
                        + ", "
                        + node.inputs().get(i)
                        + ", depends on data, and has to be known before the model runs");
    }

    /** The integers of a known input, clamped to the range of int. */
    List<Integer> numbers(int i) {
        var array = known(i);
        if (array.dtype().isFloat())
            throw node.refused("its input " + i + " is " + array.type() + ", not whole numbers");
        return LongStream.of(array.cast(DType.I64).toLongs())
                .mapToObj(n -> Math.clamp(n, Integer.MIN_VALUE, Integer.MAX_VALUE))
                .toList();
    }

    int number(int i) {
        return first(numbers(i), i);
    }

    double real(int i) {
        var array = known(i);
        if (array.type().size() != 1)
            throw node.refused("its input " + i + " is " + array.type() + ", not one number");
        return array.data().get(0);
    }

    boolean truth(int i) {
        return real(i) != 0;
    }

    private int first(List<Integer> numbers, int i) {
        if (numbers.size() == 1) return numbers.getFirst();
        throw node.refused("its input " + i + " has " + numbers.size() + " elements, not one");
    }

    /**
     * A list that older opsets have as an attribute and newer ones as input {@code i}; empty if
     * absent.
     */
    Optional<List<Integer>> listed(String attribute, int i) {
        if (has(i)) return Optional.of(numbers(i));
        return node.has(attribute) ? Optional.of(node.list(attribute)) : Optional.empty();
    }

    /** Whether all inputs are known and have at most {@code most} elements. */
    boolean areFew(long most) {
        long elements = 0;
        for (var one : all) {
            if (one.isEmpty()) continue;
            if (!(one.get() instanceof Array array)) return false;
            elements += array.type().size();
        }
        return elements <= most && !node.hasGraph();
    }

    /** Whether the product of the last input's numbers, a size, is larger than {@code most}. */
    boolean asksForMore(long most) {
        double size = 1;
        for (int n : numbers(all.size() - 1)) size *= Math.max(1, n);
        return size > most;
    }

    @Override
    public String toString() {
        var types = new ArrayList<String>();
        for (int i = 0; i < all.size(); i++) {
            var name = Objects.requireNonNull(node.inputs().get(i));
            types.add(name + all.get(i).map(t -> " " + t.type()).orElse("(left out)"));
        }
        return types.toString();
    }
}
