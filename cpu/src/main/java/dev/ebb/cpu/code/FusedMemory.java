package dev.ebb.cpu.code;

import static dev.ebb.cpu.code.FusedCode.MASK;
import static dev.ebb.cpu.code.FusedCode.SPECIES;
import static dev.ebb.cpu.code.GeneratedClass.desc;

import static java.lang.constant.ConstantDescs.CD_byte;
import static java.lang.constant.ConstantDescs.CD_double;
import static java.lang.constant.ConstantDescs.CD_float;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;

import dev.ebb.cpu.tile.RunLoads;
import dev.ebb.ir.DType;

import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.FloatVector;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Writes the part of a generated loop that moves vectors between processor registers and memory, or
 * a tile's registers. The loop's index counts bytes of numbers. Bits are moved in whole bytes, so
 * if a vector has four lanes, the first four bits are kept until the other four are there.
 */
final class FusedMemory {
    private static final ClassDesc SEGMENT = desc(MemorySegment.class);
    private static final ClassDesc ORDER = desc(ByteOrder.class);
    private static final ClassDesc READS = desc(RunLoads.class);

    private final CodeBuilder code;
    private final boolean masked;
    private final boolean wide;
    private final ClassDesc numbers;
    private final ClassDesc number;

    /** The binary logarithm of the bytes of a number. */
    private final int shift;

    private final int[] segments;
    private final int[] held;
    private final int order;
    private final int registers;
    private final int packed;
    final int[] starts;
    final int index;
    final int mask;

    /** Which half of eight elements is being written, if a vector has four lanes. */
    int half;

    FusedMemory(DType type, int places, CodeBuilder code, boolean masked) {
        this.code = code;
        this.masked = masked;
        wide = type == DType.F64;
        numbers = desc(wide ? DoubleVector.class : FloatVector.class);
        number = wide ? CD_double : CD_float;
        shift = wide ? 3 : 2;
        segments = new int[places];
        starts = new int[places];
        held = new int[places];
        for (int i = 0; i < places; i++) {
            segments[i] = code.allocateLocal(TypeKind.REFERENCE);
            starts[i] = code.allocateLocal(TypeKind.LONG);
            held[i] = code.allocateLocal(TypeKind.INT);
        }
        order = code.allocateLocal(TypeKind.REFERENCE);
        index = code.allocateLocal(TypeKind.INT);
        mask = code.allocateLocal(TypeKind.REFERENCE);
        registers = code.allocateLocal(TypeKind.REFERENCE);
        packed = code.allocateLocal(TypeKind.INT);
    }

    /** Writes the loads of all offsets. */
    void places() {
        for (int i = 0; i < segments.length; i++) {
            code.aload(1).loadConstant(i).aaload().astore(segments[i]);
            code.aload(2).loadConstant(i).laload().lstore(starts[i]);
        }
        code.invokestatic(ORDER, "nativeOrder", MethodTypeDesc.of(ORDER)).astore(order);
        code.aload(3).checkcast(number.arrayType()).astore(registers);
        code.iconst_0().istore(index);
    }

    /** The lane among eight elements at which the vector being written starts. */
    int lane() {
        return 4 * half;
    }

    /** Loads one number of argument {@code a}, which may be in a tile. */
    void loadOne(int a, boolean isHeld) {
        if (isHeld) {
            code.aload(registers).lload(starts[a]).l2i();
            if (wide) code.daload();
            else code.faload();
            return;
        }
        code.aload(segments[a]);
        var layout = desc(wide ? ValueLayout.OfDouble.class : ValueLayout.OfFloat.class);
        code.getstatic(READS, wide ? "DOUBLE" : "FLOAT", layout).lload(starts[a]);
        code.invokeinterface(SEGMENT, "get", MethodTypeDesc.of(number, layout, CD_long));
    }

    void loadFloats(int a) {
        code.getstatic(numbers, "SPECIES_256", SPECIES)
                .aload(segments[a])
                .lload(starts[a])
                .iload(index)
                .i2l()
                .ladd();
        code.aload(order);
        if (masked) {
            code.aload(mask);
            code.invokestatic(
                    numbers,
                    "fromMemorySegment",
                    MethodTypeDesc.of(numbers, SPECIES, SEGMENT, CD_long, ORDER, MASK));
        } else {
            code.invokestatic(
                    numbers,
                    "fromMemorySegment",
                    MethodTypeDesc.of(numbers, SPECIES, SEGMENT, CD_long, ORDER));
        }
    }

    void storeFloats(int place, int value) {
        code.aload(value)
                .aload(segments[place])
                .lload(starts[place])
                .iload(index)
                .i2l()
                .ladd()
                .aload(order);
        if (masked) {
            code.aload(mask);
            code.invokevirtual(
                    numbers,
                    "intoMemorySegment",
                    MethodTypeDesc.of(CD_void, SEGMENT, CD_long, ORDER, MASK));
        } else {
            code.invokevirtual(
                    numbers,
                    "intoMemorySegment",
                    MethodTypeDesc.of(CD_void, SEGMENT, CD_long, ORDER));
        }
    }

    /** Pushes the start of the current eight elements of a register. */
    private void register(int place) {
        code.aload(registers).lload(starts[place]);
        code.iload(index).loadConstant(shift).ishr().i2l().ladd().l2i();
    }

    void loadRegister(int a) {
        code.getstatic(numbers, "SPECIES_256", SPECIES);
        register(a);
        code.invokestatic(
                numbers,
                "fromArray",
                MethodTypeDesc.of(numbers, SPECIES, number.arrayType(), CD_int));
    }

    void storeRegister(int place, int value) {
        code.aload(value);
        register(place);
        code.invokevirtual(
                numbers, "intoArray", MethodTypeDesc.of(CD_void, number.arrayType(), CD_int));
    }

    /**
     * Pushes the offset of the bits of the current eight elements: one byte of bits for the bytes
     * of eight numbers.
     */
    private void bits(int place) {
        code.getstatic(READS, "BYTE", desc(ValueLayout.OfByte.class));
        code.lload(starts[place]).iload(index).loadConstant(shift + 3).ishr().i2l().ladd();
    }

    void loadBits(int a) {
        code.getstatic(numbers, "SPECIES_256", SPECIES).aload(segments[a]);
        bits(a);
        code.invokeinterface(
                SEGMENT,
                "get",
                MethodTypeDesc.of(CD_byte, desc(ValueLayout.OfByte.class), CD_long));
        code.loadConstant(lane()).ishr().i2l();
        code.invokestatic(MASK, "fromLong", MethodTypeDesc.of(MASK, SPECIES, CD_long));
    }

    void storeBits(int place, int value) {
        code.aload(value);
        if (masked) code.aload(mask).invokevirtual(MASK, "and", MethodTypeDesc.of(MASK, MASK));
        code.invokevirtual(MASK, "toLong", MethodTypeDesc.of(CD_long)).l2i();
        if (wide && half == 0) {
            code.istore(held[place]);
            return;
        }
        if (wide) code.iconst_4().ishl().iload(held[place]).ior();
        code.i2b().istore(packed);
        code.aload(segments[place]);
        bits(place);
        code.iload(packed);
        code.invokeinterface(
                SEGMENT,
                "set",
                MethodTypeDesc.of(CD_void, desc(ValueLayout.OfByte.class), CD_long, CD_byte));
    }
}
