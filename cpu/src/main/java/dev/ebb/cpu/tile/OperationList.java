package dev.ebb.cpu.tile;

import dev.ebb.ir.DType;
import dev.ebb.ir.Fn1;
import dev.ebb.ir.Scalar;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * One or several scalar expressions as a list of operations, operands before users; common
 * subexpressions are computed once. Both the tile evaluator and the code generator read this list,
 * so both do the same operations.
 */
public record OperationList(List<Operation> operations, List<Integer> results) {

    /** The outermost function of {@code form}, applied to earlier operations. */
    public record Operation(Scalar form, DType type, List<Integer> from) {}

    public OperationList {
        operations = List.copyOf(operations);
        results = List.copyOf(results);
    }

    /** The operations of {@code bodies}, whose arguments are stored as {@code args}. */
    public static OperationList of(List<Scalar> bodies, List<DType> args) {
        var maker = new Maker(args);
        var results = bodies.stream().map(maker::place).toList();
        return new OperationList(maker.operations, results);
    }

    /** Identifies equal operations: the function and its operands. */
    private record Key(Object function, List<Integer> from) {}

    private static final class Maker {
        private final List<DType> args;
        private final List<Operation> operations = new ArrayList<>();
        private final Map<Key, Integer> known = new HashMap<>();
        private final IdentityHashMap<Scalar, Integer> seen = new IdentityHashMap<>();

        Maker(List<DType> args) {
            this.args = args;
        }

        int place(Scalar s) {
            var before = seen.get(s);
            if (before != null) return before;
            var from = s.parts().stream().map(this::place).toList();
            int at = redundant(s, from) ? from.getFirst() : place(s, from);
            seen.put(s, at);
            return at;
        }

        private int place(Scalar s, List<Integer> from) {
            var key = new Key(function(s), from);
            var same = known.get(key);
            if (same != null) return same;
            operations.add(new Operation(s, type(s, from), from));
            known.put(key, operations.size() - 1);
            return operations.size() - 1;
        }

        /** A cast to the type a value already has. */
        private boolean redundant(Scalar s, List<Integer> from) {
            if (!(s instanceof Scalar.Cast(var to, _))) return false;
            var type = typeOf(from, 0);
            return to == type || (to == DType.BIT && type == DType.BOOL);
        }

        private static Object function(Scalar s) {
            return switch (s) {
                case Scalar.Arg _, Scalar.Lit _, Scalar.Index _, Scalar.Position _ -> s;
                case Scalar.Un(var fn, _) -> fn;
                case Scalar.Bin(var fn, _, _) -> fn;
                case Scalar.Cast(var to, _) -> to;
                case Scalar.Select _ -> Scalar.Select.class;
                case Scalar.Draw _ -> Scalar.Draw.class;
            };
        }

        private DType type(Scalar s, List<Integer> from) {
            return switch (s) {
                case Scalar.Arg(int i) -> args.get(i).compute();
                case Scalar.Lit(var type, _) -> type.compute();
                case Scalar.Index _, Scalar.Draw _ -> DType.I32;
                case Scalar.Position _ -> DType.I64;
                case Scalar.Un(var fn, _) -> fn == Fn1.IS_NAN ? DType.BOOL : typeOf(from, 0);
                case Scalar.Bin(var fn, _, _) -> fn.compares() ? DType.BOOL : typeOf(from, 0);
                case Scalar.Select _ -> typeOf(from, 1);
                case Scalar.Cast(var to, _) -> to.compute();
            };
        }

        private DType typeOf(List<Integer> from, int i) {
            return operations.get(from.get(i)).type();
        }
    }
}
