package dev.ebb.cpu.straight;

import static java.lang.constant.ConstantDescs.CD_byte;
import static java.lang.constant.ConstantDescs.CD_double;
import static java.lang.constant.ConstantDescs.CD_float;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;

import dev.ebb.cpu.tile.Reads;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** Writes the code that moves numbers between locals and a program's memory. */
final class Elements {
    private static final ClassDesc SEGMENT = desc(MemorySegment.class);
    private static final ClassDesc READS = desc(Reads.class);

    private final CodeBuilder code;
    private final ClassData data;

    Elements(CodeBuilder code, ClassData data) {
        this.code = code;
        this.data = data;
    }

    static ClassDesc desc(Class<?> type) {
        return type.describeConstable().orElseThrow();
    }

    static TypeKind kind(DType compute) {
        return switch (compute) {
            case F32 -> TypeKind.FLOAT;
            case F64 -> TypeKind.DOUBLE;
            case I64 -> TypeKind.LONG;
            case I32, BOOL -> TypeKind.INT;
            case BF16, F16, U8, BIT ->
                    throw new IllegalArgumentException("nothing is computed in " + compute);
        };
    }

    /** Pushes a number. */
    void push(Operand x) {
        if (!x.isConstant()) {
            code.loadLocal(kind(x.type()), x.local());
            return;
        }
        switch (kind(x.type())) {
            case FLOAT -> code.loadConstant(Float.intBitsToFloat((int) x.bits()));
            case DOUBLE -> code.loadConstant(Double.longBitsToDouble(x.bits()));
            case LONG -> code.loadConstant(x.bits());
            default -> code.loadConstant((int) x.bits());
        }
    }

    /** Puts what was pushed last into a new local. */
    Operand keep(DType type) {
        int local = code.allocateLocal(kind(type));
        code.storeLocal(kind(type), local);
        return Operand.local(type, local);
    }

    /** Reads element {@code i} of a buffer into a new local. */
    Operand load(Buffer from, long i) {
        data.push(code, from.segment(), MemorySegment.class);
        var dtype = from.dtype();
        switch (dtype) {
            case F32 -> get("FLOAT", ValueLayout.OfFloat.class, CD_float, i * 4);
            case F64 -> get("DOUBLE", ValueLayout.OfDouble.class, CD_double, i * 8);
            case I32 -> get("INT", ValueLayout.OfInt.class, CD_int, i * 4);
            case I64 -> get("LONG", ValueLayout.OfLong.class, CD_long, i * 8);
            case BOOL -> get("BYTE", ValueLayout.OfByte.class, CD_byte, i);
            case BIT -> {
                get("BYTE", ValueLayout.OfByte.class, CD_byte, i >> 3);
                code.loadConstant((int) (i & 7)).ishr().iconst_1().iand();
            }
            case BF16, F16, U8 -> throw new IllegalArgumentException("an element of " + dtype);
        }
        return keep(dtype.compute());
    }

    private void get(String layout, Class<?> type, ClassDesc of, long at) {
        code.getstatic(READS, layout, desc(type)).loadConstant(at);
        code.invokeinterface(SEGMENT, "get", MethodTypeDesc.of(of, desc(type), CD_long));
    }

    /** Writes all elements of a buffer. */
    void store(List<Operand> elements, Buffer to) {
        if (to.dtype() == DType.BIT) {
            storeBits(elements, to);
            return;
        }
        for (int i = 0; i < elements.size(); i++) {
            data.push(code, to.segment(), MemorySegment.class);
            switch (to.dtype()) {
                case F32 ->
                        set("FLOAT", ValueLayout.OfFloat.class, CD_float, i * 4L, elements.get(i));
                case F64 ->
                        set(
                                "DOUBLE",
                                ValueLayout.OfDouble.class,
                                CD_double,
                                i * 8L,
                                elements.get(i));
                case I32 -> set("INT", ValueLayout.OfInt.class, CD_int, i * 4L, elements.get(i));
                case I64 -> set("LONG", ValueLayout.OfLong.class, CD_long, i * 8L, elements.get(i));
                case BOOL -> set("BYTE", ValueLayout.OfByte.class, CD_byte, i, elements.get(i));
                case BF16, F16, U8, BIT ->
                        throw new IllegalArgumentException("an element of " + to.dtype());
            }
        }
    }

    private void set(String layout, Class<?> type, ClassDesc of, long at, Operand x) {
        code.getstatic(READS, layout, desc(type)).loadConstant(at);
        push(x);
        if (of.equals(CD_byte)) code.i2b();
        code.invokeinterface(SEGMENT, "set", MethodTypeDesc.of(CD_void, desc(type), CD_long, of));
    }

    private void storeBits(List<Operand> elements, Buffer to) {
        for (int first = 0; first < elements.size(); first += 8) {
            data.push(code, to.segment(), MemorySegment.class);
            code.getstatic(READS, "BYTE", desc(ValueLayout.OfByte.class)).loadConstant(first / 8L);
            code.iconst_0();
            for (int j = 0; j < 8 && first + j < elements.size(); j++) {
                push(elements.get(first + j));
                code.loadConstant(j).ishl().ior();
            }
            code.i2b();
            code.invokeinterface(
                    SEGMENT,
                    "set",
                    MethodTypeDesc.of(CD_void, desc(ValueLayout.OfByte.class), CD_long, CD_byte));
        }
    }
}
