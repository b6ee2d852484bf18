package dev.ebb.nn.onnx;

import dev.ebb.ir.Shape;
import dev.ebb.nn.onnx.Datum.Known;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongBinaryOperator;

/** Ops on numbers that are known before the model runs: how exported models compute shapes. */
final class KnownOps {
    private KnownOps() {}

    /** What an op gives if its inputs are known; nothing if it has to run as tensors. */
    static Optional<Datum> apply(OnnxNode node, Operands in) {
        return switch (node.op()) {
            case "Add" -> both(in, Long::sum);
            case "Sub" -> both(in, (a, b) -> a - b);
            case "Mul" -> both(in, (a, b) -> a * b);
            case "Div" -> both(in, (a, b) -> a / b);
            case "Mod" -> both(in, Math::floorMod);
            case "Min" -> both(in, Math::min);
            case "Max" -> both(in, Math::max);
            case "Equal" -> both(in, (a, b) -> a == b ? 1 : 0);
            case "Identity" -> Optional.of(in.knownAt(0));
            case "Concat" -> {
                var all = new ArrayList<Long>();
                for (int i = 0; i < in.size(); i++) all.addAll(in.knownAt(i).numbers());
                yield Optional.of(new Known(Shape.of(all.size()), all));
            }
            case "Unsqueeze" -> shaped(in.knownAt(0), 1);
            case "Squeeze" -> shaped(in.knownAt(0), 0);
            case "Reshape" -> shaped(in.knownAt(0), in.known(1).size());
            case "Gather" -> gather(in);
            case "Slice" -> slice(in);
            case "Where" -> where(in);
            case "Range" -> range(in);
            case "ReduceProd" -> {
                long product = 1;
                for (long n : in.knownAt(0).numbers()) product = Math.multiplyExact(product, n);
                boolean keep = node.whole("keepdims", 1) == 1;
                var shape = keep ? Shape.of(1) : Shape.scalar();
                yield Optional.of(new Known(shape, List.of(product)));
            }
            default -> Optional.empty();
        };
    }

    private static Optional<Datum> both(Operands in, LongBinaryOperator f) {
        var a = in.knownAt(0);
        var b = in.knownAt(1);
        int size = Math.max(a.numbers().size(), b.numbers().size());
        var out = new ArrayList<Long>();
        for (int i = 0; i < size; i++)
            out.add(f.applyAsLong(at(a.numbers(), i), at(b.numbers(), i)));
        return Optional.of(
                new Known(
                        a.shape().rank() >= b.shape().rank() ? grown(a, size) : grown(b, size),
                        out));
    }

    private static Shape grown(Known known, int size) {
        return known.shape().rank() == 0 ? known.shape() : Shape.of(size);
    }

    private static long at(List<Long> numbers, int i) {
        return numbers.get(numbers.size() == 1 ? 0 : i);
    }

    /** The same numbers in a list, or one number as itself; of higher rank they are tensors. */
    private static Optional<Datum> shaped(Known known, int rank) {
        if (rank == 0 && known.numbers().size() == 1)
            return Optional.of(new Known(Shape.scalar(), known.numbers()));
        if (rank != 1 || known.shape().rank() > 1) return Optional.empty();
        if (known.shape().rank() == 1 && known.numbers().size() != 1) return Optional.empty();
        return Optional.of(new Known(Shape.of(known.numbers().size()), known.numbers()));
    }

    private static Optional<Datum> gather(Operands in) {
        var from = in.knownAt(0).numbers();
        var index = in.knownAt(1);
        var out = new ArrayList<Long>();
        for (long i : index.numbers()) out.add(from.get((int) (i < 0 ? i + from.size() : i)));
        return Optional.of(new Known(index.shape(), out));
    }

    private static Optional<Datum> slice(Operands in) {
        var from = in.knownAt(0).numbers();
        int size = from.size();
        int start = bound(in.known(1).getFirst(), size);
        int stop = bound(in.known(2).getFirst(), size);
        int step = in.has(4) ? in.known(4).getFirst() : 1;
        if (step < 1) return Optional.empty();
        var out = new ArrayList<Long>();
        for (int i = start; i < stop; i += step) out.add(from.get(i));
        return Optional.of(new Known(Shape.of(out.size()), out));
    }

    private static int bound(int place, int size) {
        return Math.clamp(place < 0 ? (long) place + size : place, 0, size);
    }

    private static Optional<Datum> where(Operands in) {
        var condition = in.knownAt(0).numbers();
        var a = in.knownAt(1).numbers();
        var b = in.knownAt(2).numbers();
        int size = Math.max(condition.size(), Math.max(a.size(), b.size()));
        var out = new ArrayList<Long>();
        for (int i = 0; i < size; i++) out.add(at(condition, i) != 0 ? at(a, i) : at(b, i));
        return Optional.of(new Known(Shape.of(size), out));
    }

    private static Optional<Datum> range(Operands in) {
        long start = in.knownAt(0).numbers().getFirst();
        long stop = in.knownAt(1).numbers().getFirst();
        long step = in.knownAt(2).numbers().getFirst();
        if (step == 0 || (stop - start) / step > 1 << 24) return Optional.empty();
        var out = new ArrayList<Long>();
        for (long i = start; step > 0 ? i < stop : i > stop; i += step) out.add(i);
        return Optional.of(new Known(Shape.of(out.size()), out));
    }
}
