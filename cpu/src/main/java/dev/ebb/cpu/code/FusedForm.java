package dev.ebb.cpu.code;

import dev.ebb.cpu.tile.OperationList;
import dev.ebb.ir.DType;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Scalar.Fn1;
import dev.ebb.ir.Scalar.Fn2;

import java.util.List;
import java.util.Optional;

/**
 * A loop that can be generated: f32 arithmetic, comparisons, truth values and selects, over
 * arguments that are consecutive or repeated within a run. Equal forms share a loop.
 *
 * @param operations what to compute, in order
 * @param accesses how each argument is read
 * @param results which operations are stored
 * @param sinks where each result goes
 */
public record FusedForm(
        List<Operation> operations,
        List<Access> accesses,
        List<Integer> results,
        List<Sink> sinks) {

    /**
     * One function applied to earlier operations; {@code value} is an argument's number or a
     * constant.
     */
    record Operation(Function function, double value, List<Integer> from) {}

    /** How an argument is read. */
    public enum Access {
        /** f32, one after the other. */
        FLOATS,
        /** One f32 for the whole run. */
        FLOAT,
        /** One f32 of a tile for the whole run. */
        HELD,
        /** Bits, one after the other, from the first of a byte on. */
        BITS,
        /** f32 of a tile's register. */
        REGISTER
    }

    /** Where a result goes: to memory as f32 or as bits, or to a tile's register. */
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
        TANH,
        ERF,
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

        /** Whether it takes so many instructions that a loop with it would pass what C2 inlines. */
        boolean isHeavy() {
            return switch (this) {
                case EXP, EXPM1, LOG, LOG1P, SIN, COS, TANH, ERF -> true;
                case ARGUMENT,
                        CONSTANT,
                        NEG,
                        ABS,
                        SIGN,
                        SQRT,
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
                        ZERO_OR_ONE ->
                        false;
            };
        }

        /** Whether it gives truth values. */
        boolean isTruth() {
            return switch (this) {
                case IS_NAN, EQ, NE, LT, LE, GT, GE, AND, OR, XOR, NOT, SELECT_TRUTH -> true;
                case ARGUMENT,
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
                        TANH,
                        ERF,
                        ADD,
                        SUB,
                        MUL,
                        DIV,
                        MAX,
                        MIN,
                        SELECT,
                        ZERO_OR_ONE ->
                        false;
            };
        }
    }

    public FusedForm {
        operations = List.copyOf(operations);
        accesses = List.copyOf(accesses);
        results = List.copyOf(results);
        sinks = List.copyOf(sinks);
    }

    /** The function of an operation of {@code line}, if a loop can compute it. */
    static Optional<Function> function(OperationList.Operation operation, OperationList line) {
        var from = operation.from();
        var type =
                from.isEmpty() ? operation.type() : line.operations().get(from.getFirst()).type();
        boolean floats = type == DType.F32;
        boolean truths = type == DType.BOOL;
        if (!floats && !truths) return Optional.empty();
        return switch (operation.form()) {
            case Scalar.Arg _ -> Optional.of(Function.ARGUMENT);
            case Scalar.Lit _ -> floats ? Optional.of(Function.CONSTANT) : Optional.empty();
            case Scalar.Un(var fn, _) -> unary(fn);
            case Scalar.Bin(var fn, _, _) -> binary(fn, floats);
            case Scalar.Select _ ->
                    switch (operation.type()) {
                        case F32 -> Optional.of(Function.SELECT);
                        case BOOL -> Optional.of(Function.SELECT_TRUTH);
                        case F64, I32, I64, BF16, F16, U8, BIT -> Optional.empty();
                    };
            case Scalar.Cast(var to, _) ->
                    truths && to == DType.F32
                            ? Optional.of(Function.ZERO_OR_ONE)
                            : Optional.empty();
            case Scalar.Index _, Scalar.Position _, Scalar.Draw _ -> Optional.empty();
        };
    }

    private static Optional<Function> unary(Fn1 fn) {
        return switch (fn) {
            case NEG, ABS, SIGN, SQRT, EXP, EXPM1, LOG, LOG1P, SIN, COS, TANH, ERF, IS_NAN, NOT ->
                    Optional.of(Function.valueOf(fn.name()));
            case FLOOR,
                    CEIL,
                    ROUND,
                    LOG2,
                    TAN,
                    ASIN,
                    ACOS,
                    ATAN,
                    SINH,
                    COSH,
                    ASINH,
                    ACOSH,
                    ATANH,
                    ERFC,
                    ERFINV,
                    LGAMMA ->
                    Optional.empty();
        };
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
