package dev.ebb.cpu.sequence;

import static dev.ebb.cpu.code.GeneratedClass.desc;

import static java.lang.constant.ConstantDescs.CD_byte;
import static java.lang.constant.ConstantDescs.CD_double;
import static java.lang.constant.ConstantDescs.CD_float;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;

import dev.ebb.cpu.code.ClassData;
import dev.ebb.cpu.tile.RunLoads;
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
record ElementAccess(CodeBuilder code, Location location) {
    private static final ClassDesc SEGMENT = desc(MemorySegment.class);
    private static final ClassDesc READS = desc(RunLoads.class);

    /** Emits the address of an element. */
    interface Location {
        /** Pushes the memory segment of a buffer. */
        void memory(Buffer buffer);

        /** Pushes the offset of byte {@code at} of a buffer in that segment. */
        void offset(Buffer buffer, long at);
    }

    /** Buffers at fixed addresses: their segment is a constant. */
    static Location fixed(CodeBuilder code, ClassData data) {
        return new Location() {
            @Override
            public void memory(Buffer buffer) {
                data.push(code, buffer.segment(), MemorySegment.class);
            }

            @Override
            public void offset(Buffer buffer, long at) {
                code.loadConstant(at);
            }
        };
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

    /** Stores the top of the stack in a new local variable. */
    Operand keep(DType type) {
        int local = code.allocateLocal(kind(type));
        code.storeLocal(kind(type), local);
        return Operand.local(type, local);
    }

    /** Reads element {@code i} of a buffer into a new local. */
    Operand load(Buffer from, long i) {
        var dtype = from.dtype();
        switch (dtype) {
            case F32 -> get(from, "FLOAT", ValueLayout.OfFloat.class, CD_float, i * 4);
            case F64 -> get(from, "DOUBLE", ValueLayout.OfDouble.class, CD_double, i * 8);
            case I32 -> get(from, "INT", ValueLayout.OfInt.class, CD_int, i * 4);
            case I64 -> get(from, "LONG", ValueLayout.OfLong.class, CD_long, i * 8);
            case BOOL -> get(from, "BYTE", ValueLayout.OfByte.class, CD_byte, i);
            case BIT -> {
                get(from, "BYTE", ValueLayout.OfByte.class, CD_byte, i >> 3);
                code.loadConstant((int) (i & 7)).ishr().iconst_1().iand();
            }
            case BF16, F16, U8 -> throw new IllegalArgumentException("an element of " + dtype);
        }
        return keep(dtype.compute());
    }

    private void get(Buffer from, String layout, Class<?> type, ClassDesc of, long at) {
        location.memory(from);
        code.getstatic(READS, layout, desc(type));
        location.offset(from, at);
        code.invokeinterface(SEGMENT, "get", MethodTypeDesc.of(of, desc(type), CD_long));
    }

    /** Writes all elements of a buffer. */
    void store(List<Operand> elements, Buffer to) {
        if (to.dtype() == DType.BIT) {
            storeBits(elements, to);
            return;
        }
        for (int i = 0; i < elements.size(); i++) {
            var x = elements.get(i);
            switch (to.dtype()) {
                case F32 -> set(to, "FLOAT", ValueLayout.OfFloat.class, CD_float, i * 4L, x);
                case F64 -> set(to, "DOUBLE", ValueLayout.OfDouble.class, CD_double, i * 8L, x);
                case I32 -> set(to, "INT", ValueLayout.OfInt.class, CD_int, i * 4L, x);
                case I64 -> set(to, "LONG", ValueLayout.OfLong.class, CD_long, i * 8L, x);
                case BOOL -> set(to, "BYTE", ValueLayout.OfByte.class, CD_byte, i, x);
                case BF16, F16, U8, BIT ->
                        throw new IllegalArgumentException("an element of " + to.dtype());
            }
        }
    }

    private void set(Buffer to, String layout, Class<?> type, ClassDesc of, long at, Operand x) {
        location.memory(to);
        code.getstatic(READS, layout, desc(type));
        location.offset(to, at);
        push(x);
        if (of.equals(CD_byte)) code.i2b();
        code.invokeinterface(SEGMENT, "set", MethodTypeDesc.of(CD_void, desc(type), CD_long, of));
    }

    private void storeBits(List<Operand> elements, Buffer to) {
        for (int first = 0; first < elements.size(); first += 8) {
            location.memory(to);
            code.getstatic(READS, "BYTE", desc(ValueLayout.OfByte.class));
            location.offset(to, first / 8L);
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
