package dev.ebb.cpu.sequence;

import static dev.ebb.cpu.code.GeneratedClass.desc;

import static java.lang.constant.ConstantDescs.CD_double;
import static java.lang.constant.ConstantDescs.CD_float;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_short;

import dev.ebb.cpu.math.F32Scalar;
import dev.ebb.ir.DType;
import dev.ebb.ir.Fn1;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Scalar.Fn2;
import dev.ebb.ir.math.Half;
import dev.ebb.ir.math.Philox;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Opcode;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;

/**
 * Emits single scalar functions, with the bits of the device's other kernels. Common subexpressions
 * are computed once.
 */
final class ScalarCode {
    /** The methods for f32 functions that are more than one instruction. */
    private static final ClassDesc F32_FUNCTIONS = desc(F32Scalar.class);

    private static final ClassDesc MATH = desc(Math.class);
    private static final ClassDesc HALF = desc(Half.class);

    private record Key(Object function, List<Operand> of) {}

    private final CodeBuilder code;
    private final ElementAccess elements;
    private final Map<Key, Operand> known = new HashMap<>();

    ScalarCode(CodeBuilder code, ElementAccess elements) {
        this.code = code;
        this.elements = elements;
    }

    private Operand once(Object function, DType type, Runnable write, Operand... of) {
        var key = new Key(function, List.of(of));
        var before = known.get(key);
        if (before != null) return before;
        for (Operand x : of) elements.push(x);
        write.run();
        var made = elements.keep(type);
        known.put(key, made);
        return made;
    }

    Operand apply(Fn1 fn, Operand x) {
        var type = fn == Fn1.IS_NAN ? DType.BOOL : x.type();
        return once(fn, type, () -> unary(fn, x), x);
    }

    Operand apply(Fn2 fn, Operand x, Operand y) {
        var type = fn.compares() ? DType.BOOL : x.type();
        return once(fn, type, () -> binary(fn, x.type()), x, y);
    }

    /** {@code x * y + z}, rounded once. */
    Operand fma(Operand x, Operand y, Operand z) {
        var d = x.type() == DType.F32 ? CD_float : CD_double;
        return once(
                "fma",
                x.type(),
                () -> code.invokestatic(MATH, "fma", MethodTypeDesc.of(d, d, d, d)),
                x,
                y,
                z);
    }

    Operand select(Operand c, Operand yes, Operand no) {
        if (yes.equals(no)) return yes;
        var key = new Key(Scalar.Select.class, List.of(c, yes, no));
        var before = known.get(key);
        if (before != null) return before;
        elements.push(c);
        code.ifThenElse(Opcode.IFNE, _ -> elements.push(yes), _ -> elements.push(no));
        var made = elements.keep(yes.type());
        known.put(key, made);
        return made;
    }

    Operand draw(Operand key, Operand counter) {
        var type = MethodTypeDesc.of(CD_int, CD_long, CD_long);
        return once(
                Scalar.Draw.class,
                DType.I32,
                () -> code.invokestatic(desc(Philox.class), "draw", type),
                key,
                counter);
    }

    Operand cast(DType to, Operand x) {
        return once(to, to.compute(), () -> cast(x.type(), to), x);
    }

    private void unary(Fn1 fn, Operand x) {
        switch (x.type()) {
            case F32 -> floating(fn, CD_float);
            case F64 -> floating(fn, CD_double);
            case I32, BOOL -> whole(fn, x.type() == DType.BOOL);
            case I64 -> whole(fn);
            case BF16, F16, U8, BIT -> throw new IllegalArgumentException("computing " + x.type());
        }
    }

    private void floating(Fn1 fn, ClassDesc of) {
        boolean single = of.equals(CD_float);
        switch (fn) {
            case NEG -> {
                if (single) code.fneg();
                else code.dneg();
            }
            case ABS -> code.invokestatic(MATH, "abs", MethodTypeDesc.of(of, of));
            case SQRT -> {
                if (single) code.f2d();
                code.invokestatic(MATH, "sqrt", MethodTypeDesc.of(CD_double, CD_double));
                if (single) code.d2f();
            }
            case IS_NAN -> {
                if (single) code.dup().fcmpl();
                else code.dup2().dcmpl();
                truth(Opcode.IFNE);
            }
            case NOT -> throw new IllegalArgumentException("NOT of floats; compare first");
            default -> {
                // below the number already pushed
                var enums = desc(Fn1.class);
                code.getstatic(enums, fn.name(), enums);
                if (single) {
                    code.swap();
                    code.invokestatic(F32_FUNCTIONS, "apply", MethodTypeDesc.of(of, enums, of));
                } else {
                    var meaning = desc(DoubleUnaryOperator.class);
                    code.invokevirtual(enums, "meaning", MethodTypeDesc.of(meaning));
                    code.dup_x2().pop();
                    code.invokeinterface(meaning, "applyAsDouble", MethodTypeDesc.of(of, of));
                }
            }
        }
    }

    private void whole(Fn1 fn, boolean truth) {
        switch (fn) {
            case NEG -> code.ineg();
            case ABS -> code.invokestatic(MATH, "abs", MethodTypeDesc.of(CD_int, CD_int));
            case SIGN ->
                    code.invokestatic(
                            desc(Integer.class), "signum", MethodTypeDesc.of(CD_int, CD_int));
            case NOT -> code.loadConstant(truth ? 1 : -1).ixor();
            default -> throw new IllegalArgumentException(fn + " of integers");
        }
    }

    private void whole(Fn1 fn) {
        switch (fn) {
            case NEG -> code.lneg();
            case ABS -> code.invokestatic(MATH, "abs", MethodTypeDesc.of(CD_long, CD_long));
            case SIGN ->
                    code.invokestatic(
                                    desc(Long.class), "signum", MethodTypeDesc.of(CD_int, CD_long))
                            .i2l();
            case NOT -> code.loadConstant(-1L).lxor();
            default -> throw new IllegalArgumentException(fn + " of integers");
        }
    }

    private void truth(Opcode jump) {
        code.ifThenElse(jump, CodeBuilder::iconst_1, CodeBuilder::iconst_0);
    }

    private void binary(Fn2 fn, DType type) {
        if (fn.compares()) {
            compare(fn, type);
            return;
        }
        switch (type) {
            case F32 -> floating(fn, CD_float);
            case F64 -> floating(fn, CD_double);
            case I32, BOOL -> ints(fn);
            case I64 -> longs(fn);
            case BF16, F16, U8, BIT -> throw new IllegalArgumentException("computing " + type);
        }
    }

    private void compare(Fn2 fn, DType type) {
        boolean up = fn == Fn2.GT || fn == Fn2.GE;
        switch (ElementAccess.kind(type)) {
            case FLOAT -> {
                if (up) code.fcmpl();
                else code.fcmpg();
            }
            case DOUBLE -> {
                if (up) code.dcmpl();
                else code.dcmpg();
            }
            case LONG -> code.lcmp();
            default ->
                    code.invokestatic(
                            desc(Integer.class),
                            "compare",
                            MethodTypeDesc.of(CD_int, CD_int, CD_int));
        }
        truth(
                switch (fn) {
                    case EQ -> Opcode.IFEQ;
                    case NE -> Opcode.IFNE;
                    case LT -> Opcode.IFLT;
                    case LE -> Opcode.IFLE;
                    case GT -> Opcode.IFGT;
                    default -> Opcode.IFGE;
                });
    }

    private void floating(Fn2 fn, ClassDesc of) {
        boolean single = of.equals(CD_float);
        switch (fn) {
            case ADD -> code.with(simple(single ? Opcode.FADD : Opcode.DADD));
            case SUB -> code.with(simple(single ? Opcode.FSUB : Opcode.DSUB));
            case MUL -> code.with(simple(single ? Opcode.FMUL : Opcode.DMUL));
            case DIV -> code.with(simple(single ? Opcode.FDIV : Opcode.DDIV));
            case REM -> code.with(simple(single ? Opcode.FREM : Opcode.DREM));
            case MAX -> code.invokestatic(MATH, "max", MethodTypeDesc.of(of, of, of));
            case MIN -> code.invokestatic(MATH, "min", MethodTypeDesc.of(of, of, of));
            case POW, ATAN2, HYPOT, POLYGAMMA -> {
                var enums = desc(Fn2.class);
                // the function comes first: both numbers are put aside
                var kind = ElementAccess.kind(single ? DType.F32 : DType.F64);
                int y = code.allocateLocal(kind);
                int x = code.allocateLocal(kind);
                code.storeLocal(kind, y).storeLocal(kind, x).getstatic(enums, fn.name(), enums);
                code.loadLocal(kind, x).loadLocal(kind, y);
                if (single)
                    code.invokestatic(F32_FUNCTIONS, "apply", MethodTypeDesc.of(of, enums, of, of));
                else code.invokevirtual(enums, "apply", MethodTypeDesc.of(of, of, of));
            }
            default -> throw new IllegalArgumentException(fn + " of floats");
        }
    }

    private static java.lang.classfile.instruction.OperatorInstruction simple(Opcode opcode) {
        return java.lang.classfile.instruction.OperatorInstruction.of(opcode);
    }

    private void ints(Fn2 fn) {
        var type = MethodTypeDesc.of(CD_int, CD_int, CD_int);
        switch (fn) {
            case ADD -> code.iadd();
            case SUB -> code.isub();
            case MUL -> code.imul();
            case MAX -> code.invokestatic(MATH, "max", type);
            case MIN -> code.invokestatic(MATH, "min", type);
            case AND -> code.iand();
            case OR -> code.ior();
            case XOR -> code.ixor();
            case SHL -> code.ishl();
            case SHR -> code.ishr();
            case USHR -> code.iushr();
            default -> throw new IllegalArgumentException(fn + " of integers");
        }
    }

    private void longs(Fn2 fn) {
        var type = MethodTypeDesc.of(CD_long, CD_long, CD_long);
        switch (fn) {
            case ADD -> code.ladd();
            case SUB -> code.lsub();
            case MUL -> code.lmul();
            case MAX -> code.invokestatic(MATH, "max", type);
            case MIN -> code.invokestatic(MATH, "min", type);
            case AND -> code.land();
            case OR -> code.lor();
            case XOR -> code.lxor();
            case SHL -> code.l2i().lshl();
            case SHR -> code.l2i().lshr();
            case USHR -> code.l2i().lushr();
            default -> throw new IllegalArgumentException(fn + " of integers");
        }
    }

    private void cast(DType from, DType to) {
        switch (to) {
            case F32 -> toFloat(from);
            case F64 -> {
                switch (from) {
                    case F32 -> code.f2d();
                    case I32, BOOL -> code.i2d();
                    case I64 -> code.l2d();
                    default -> {}
                }
            }
            case BF16 -> {
                toFloat(from);
                code.invokestatic(HALF, "toBf16", MethodTypeDesc.of(CD_short, CD_float));
                code.invokestatic(HALF, "fromBf16", MethodTypeDesc.of(CD_float, CD_short));
            }
            case F16 -> {
                toFloat(from);
                var floats = desc(Float.class);
                code.invokestatic(floats, "floatToFloat16", MethodTypeDesc.of(CD_short, CD_float));
                code.invokestatic(floats, "float16ToFloat", MethodTypeDesc.of(CD_float, CD_short));
            }
            case I32 -> toInt(from);
            case U8 -> {
                toInt(from);
                code.loadConstant(0xff).iand();
            }
            case I64 -> {
                switch (from) {
                    case F32 -> code.f2l();
                    case F64 -> code.d2l();
                    case I32, BOOL -> code.i2l();
                    default -> {}
                }
            }
            case BOOL, BIT -> {
                switch (from) {
                    case F32 -> code.fconst_0().fcmpl();
                    case F64 -> code.dconst_0().dcmpl();
                    case I64 -> code.lconst_0().lcmp();
                    default -> {}
                }
                truth(Opcode.IFNE);
            }
        }
    }

    /** A long by way of double, as the other kernels do: it is rounded twice. */
    private void toFloat(DType from) {
        switch (from) {
            case F64 -> code.d2f();
            case I32, BOOL -> code.i2f();
            case I64 -> code.l2d().d2f();
            default -> {}
        }
    }

    private void toInt(DType from) {
        switch (from) {
            case F32 -> code.f2i();
            case F64 -> code.d2i();
            case I64 -> code.l2i();
            default -> {}
        }
    }
}
