package dev.ebb.cpu.code;

import dev.ebb.cpu.math.FunctionForm;
import dev.ebb.cpu.tile.OperationList;
import dev.ebb.ir.DType;
import dev.ebb.ir.Fn1;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Scalar.Fn2;

import java.util.List;
import java.util.Optional;

/**
 * A loop that can be generated: arithmetic in f32 or in f64, comparisons, booleans and selects,
 * over arguments that are consecutive or repeated within a run. Equal forms share a loop.
 *
 * @param type of the numbers: F32 or F64
 * @param operations to compute, in order
 * @param accesses how each argument is read
 * @param results the operations that are stored
 * @param sinks where each result is stored
 */
public record FusedForm(
        DType type,
        List<Operation> operations,
        List<Access> accesses,
        List<Integer> results,
        List<Sink> sinks) {

    /**
     * One function applied to earlier operations; {@code value} is the number of an argument, or a
     * constant.
     */
    record Operation(Function function, double value, List<Integer> from) {}

    /** How an argument is read. */
    public enum Access {
        /** Numbers, one after the other. */
        FLOATS,
        /** One number for the whole run. */
        FLOAT,
        /** One number of a tile for the whole run. */
        HELD,
        /** Bits, one after the other, from the first of a byte on. */
        BITS,
        /** Numbers of a tile's register. */
        REGISTER
    }

    /** Where a result is stored: in memory as numbers or as bits, or in a tile's register. */
    public enum Sink {
        FLOATS,
        BITS,
        REGISTER
    }

    enum Function {
        ARGUMENT,
        CONSTANT,
        NEG,
        ABS,
        SIGN,
        SQRT,
        EXP,
        EXPM1,
        LOG,
        LOG1P,
        SIN,
        COS,
        TAN,
        ATAN,
        TANH,
        ERF,
        ERFC,
        IS_NAN,
        ADD,
        SUB,
        MUL,
        DIV,
        MAX,
        MIN,
        EQ,
        NE,
        LT,
        LE,
        GT,
        GE,
        AND,
        OR,
        XOR,
        NOT,
        SELECT,
        SELECT_TRUTH,
        ZERO_OR_ONE;

        /**
         * Whether the operation takes so many instructions that C2 would stop inlining in a loop
         * with it.
         */
        boolean isHeavy() {
            return compareTo(EXP) >= 0 && compareTo(ERFC) <= 0;
        }
    }

    public FusedForm {
        if (type != DType.F32 && type != DType.F64)
            throw new IllegalArgumentException("a loop of " + type + "; one of F32 or F64 is made");
        operations = List.copyOf(operations);
        accesses = List.copyOf(accesses);
        results = List.copyOf(results);
        sinks = List.copyOf(sinks);
    }

    /** The type of the numbers of {@code line}; empty if some are f32 and some f64. */
    static Optional<DType> type(OperationList line) {
        boolean singles = line.operations().stream().anyMatch(o -> o.type() == DType.F32);
        boolean doubles = line.operations().stream().anyMatch(o -> o.type() == DType.F64);
        if (singles && doubles) return Optional.empty();
        return Optional.of(doubles ? DType.F64 : DType.F32);
    }

    /** Whether a loop can compute all of {@code line}, in numbers of {@code type}. */
    public static boolean isPossible(OperationList line, DType type) {
        return type(line).filter(type::equals).isPresent()
                && line.operations().stream().allMatch(o -> function(o, line, type).isPresent());
    }

    /** The function of an operation of {@code line}, if a loop of {@code number} can compute it. */
    static Optional<Function> function(
            OperationList.Operation operation, OperationList line, DType number) {
        var from = operation.from();
        var type =
                from.isEmpty() ? operation.type() : line.operations().get(from.getFirst()).type();
        boolean floats = type == number;
        boolean truths = type == DType.BOOL;
        if (!floats && !truths) return Optional.empty();
        return switch (operation.form()) {
            case Scalar.Arg _ -> Optional.of(Function.ARGUMENT);
            case Scalar.Lit _ -> floats ? Optional.of(Function.CONSTANT) : Optional.empty();
            case Scalar.Un(var fn, _) -> unary(fn, number);
            case Scalar.Bin(var fn, _, _) -> binary(fn, floats);
            case Scalar.Select _ ->
                    switch (operation.type()) {
                        case F32, F64 -> Optional.of(Function.SELECT);
                        case BOOL -> Optional.of(Function.SELECT_TRUTH);
                        case I32, I64, BF16, F16, U8, BIT -> Optional.empty();
                    };
            case Scalar.Cast(var to, _) ->
                    truths && to == number ? Optional.of(Function.ZERO_OR_ONE) : Optional.empty();
            case Scalar.Index _, Scalar.Position _, Scalar.Draw _ -> Optional.empty();
        };
    }

    private static Optional<Function> unary(Fn1 fn, DType number) {
        return FunctionForm.of(fn).isVector(number)
                ? Optional.of(Function.valueOf(fn.name()))
                : Optional.empty();
    }

    private static Optional<Function> binary(Fn2 fn, boolean floats) {
        return switch (fn) {
            case ADD, SUB, MUL, DIV, MAX, MIN, EQ, NE, LT, LE, GT, GE ->
                    floats ? Optional.of(Function.valueOf(fn.name())) : Optional.empty();
            case AND, OR, XOR -> Optional.of(Function.valueOf(fn.name()));
            case REM, POW, ATAN2, HYPOT, POLYGAMMA, SHL, SHR, USHR -> Optional.empty();
        };
    }
}
