package dev.ebb.cpu.code;

import static java.lang.constant.ConstantDescs.CD_byte;
import static java.lang.constant.ConstantDescs.CD_float;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;

import dev.ebb.cpu.code.FusedForm.Access;
import dev.ebb.cpu.tile.F32Steps;
import dev.ebb.cpu.tile.Reads;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;

/**
 * Writes the code of a {@link Fused} loop: calls into the Vector API, which C2 turns into the very
 * loop one would write by hand ({@code FusedBench}). A repeated argument and a constant become a
 * vector before the loop. The tail is the same code under a mask.
 */
final class FusedCode {
    static final ClassDesc FLOATS = desc(FloatVector.class);
    static final ClassDesc VECTOR = desc(Vector.class);
    static final ClassDesc MASK = desc(VectorMask.class);
    static final ClassDesc SPECIES = desc(VectorSpecies.class);
    private static final ClassDesc SEGMENT = desc(MemorySegment.class);
    private static final ClassDesc ORDER = desc(ByteOrder.class);
    private static final ClassDesc OPERATORS = desc(VectorOperators.class);
    private static final ClassDesc READS = desc(Reads.class);
    private final FusedForm form;
    private final CodeBuilder code;
    private final boolean masked;
    private final int[] segments;
    final int[] starts;
    final int[] values;
    private final int order;
    final int index;
    final int end;
    final int mask;

    FusedCode(FusedForm form, CodeBuilder code, boolean masked) {
        this.form = form;
        this.code = code;
        this.masked = masked;
        int places = form.accesses().size() + form.sinks().size();
        segments = new int[places];
        starts = new int[places];
        for (int i = 0; i < places; i++) {
            segments[i] = code.allocateLocal(TypeKind.REFERENCE);
            starts[i] = code.allocateLocal(TypeKind.LONG);
        }
        values = new int[form.operations().size()];
        for (int i = 0; i < values.length; i++) values[i] = code.allocateLocal(TypeKind.REFERENCE);
        order = code.allocateLocal(TypeKind.REFERENCE);
        index = code.allocateLocal(TypeKind.INT);
        end = code.allocateLocal(TypeKind.INT);
        mask = code.allocateLocal(TypeKind.REFERENCE);
    }

    static ClassDesc desc(Class<?> type) {
        return type.describeConstable().orElseThrow();
    }

    /** All of a run. */
    void loop() {
        prologue();
        code.iload(4).iconst_4().imul().istore(end);
        var top = code.newLabel();
        var done = code.newLabel();
        code.labelBinding(top).iload(index).iload(end).if_icmpge(done);
        body();
        code.iinc(index, 32).goto_(top);
        code.labelBinding(done).return_();
    }

    /** What is left of it. */
    void once() {
        mask();
        prologue();
        body();
        code.return_();
    }

    /** Which lanes there are. */
    void mask() {
        code.getstatic(FLOATS, "SPECIES_256", SPECIES).iconst_0().iload(4);
        code.invokeinterface(SPECIES, "indexInRange", MethodTypeDesc.of(MASK, CD_int, CD_int))
                .astore(mask);
    }

    private void prologue() {
        places();
        steady();
    }

    /** Where everything begins. */
    void places() {
        for (int i = 0; i < segments.length; i++) {
            code.aload(1).loadConstant(i).aaload().astore(segments[i]);
            code.aload(2).loadConstant(i).laload().lstore(starts[i]);
        }
        code.invokestatic(ORDER, "nativeOrder", MethodTypeDesc.of(ORDER)).astore(order);
        code.iconst_0().istore(index);
    }

    /** What does not change within a run. */
    void steady() {
        for (int i = 0; i < values.length; i++) {
            var operation = form.operations().get(i);
            switch (operation.function()) {
                case CONSTANT -> {
                    code.getstatic(FLOATS, "SPECIES_256", SPECIES)
                            .loadConstant((float) operation.value());
                    broadcast(i);
                }
                case ARGUMENT -> {
                    int a = (int) operation.value();
                    if (!isRepeated(a)) continue;
                    code.getstatic(FLOATS, "SPECIES_256", SPECIES);
                    loadOne(a);
                    broadcast(i);
                }
                default -> {}
            }
        }
    }

    private boolean isRepeated(int a) {
        return form.accesses().get(a) == Access.FLOAT || form.accesses().get(a) == Access.HELD;
    }

    private void loadOne(int a) {
        if (form.accesses().get(a) == Access.HELD) {
            code.aload(3).lload(starts[a]).l2i().faload();
            return;
        }
        code.aload(segments[a]);
        code.getstatic(READS, "FLOAT", desc(ValueLayout.OfFloat.class)).lload(starts[a]);
        code.invokeinterface(
                SEGMENT,
                "get",
                MethodTypeDesc.of(CD_float, desc(ValueLayout.OfFloat.class), CD_long));
    }

    private void broadcast(int i) {
        code.invokestatic(FLOATS, "broadcast", MethodTypeDesc.of(FLOATS, SPECIES, CD_float))
                .astore(values[i]);
    }

    void body() {
        values();
        for (int j = 0; j < form.sinks().size(); j++) {
            int place = form.accesses().size() + j;
            int from = values[form.results().get(j)];
            switch (form.sinks().get(j)) {
                case FLOATS -> storeFloats(place, from);
                case BITS -> storeBits(place, from);
                case REGISTER -> storeRegister(place, from);
            }
        }
    }

    void values() {
        for (int i = 0; i < values.length; i++) operation(i);
    }

    private void operation(int i) {
        var operation = form.operations().get(i);
        var from = operation.from();
        switch (operation.function()) {
            case CONSTANT -> {
                return;
            }
            case ARGUMENT -> {
                int a = (int) operation.value();
                switch (form.accesses().get(a)) {
                    case FLOATS -> loadFloats(a);
                    case BITS -> loadBits(a);
                    case REGISTER -> loadRegister(a);
                    case FLOAT, HELD -> {
                        return;
                    }
                }
            }
            case NEG -> lanes(from, "neg");
            case ABS -> lanes(from, "abs");
            case SQRT -> lanes(from, "sqrt");
            case SIGN -> call(F32Steps.class, "sign", from);
            case EXP, EXPM1, LOG, LOG1P, TANH, ERF, SIN, COS ->
                    throw new IllegalArgumentException(
                            operation.function() + " has a step of its own");
            case ADD -> pair(from, "add");
            case SUB -> pair(from, "sub");
            case MUL -> pair(from, "mul");
            case DIV -> pair(from, "div");
            case MAX -> pair(from, "max");
            case MIN -> pair(from, "min");
            case EQ, NE, LT, LE, GT, GE ->
                    compare(operation.function().name(), from.get(0), from.get(1));
            case IS_NAN -> compare("NE", from.get(0), from.get(0));
            case AND -> masks(from, "and");
            case OR -> masks(from, "or");
            case XOR -> masks(from, "xor");
            case NOT -> {
                load(from.getFirst());
                code.invokevirtual(MASK, "not", MethodTypeDesc.of(MASK));
            }
            case SELECT -> {
                load(from.get(2));
                load(from.get(1));
                load(from.get(0));
                code.invokevirtual(FLOATS, "blend", MethodTypeDesc.of(FLOATS, VECTOR, MASK));
            }
            case SELECT_TRUTH -> selectTruth(from.get(0), from.get(1), from.get(2));
            case ZERO_OR_ONE -> {
                code.getstatic(FLOATS, "SPECIES_256", SPECIES);
                code.invokestatic(FLOATS, "zero", MethodTypeDesc.of(FLOATS, SPECIES)).fconst_1();
                load(from.getFirst());
                code.invokevirtual(FLOATS, "blend", MethodTypeDesc.of(FLOATS, CD_float, MASK));
            }
        }
        code.astore(values[i]);
    }

    private void load(int operation) {
        code.aload(values[operation]);
    }

    private void lanes(List<Integer> from, String name) {
        load(from.getFirst());
        code.invokevirtual(FLOATS, name, MethodTypeDesc.of(FLOATS));
    }

    private void call(Class<?> owner, String name, List<Integer> from) {
        load(from.getFirst());
        code.invokestatic(desc(owner), name, MethodTypeDesc.of(FLOATS, FLOATS));
    }

    private void pair(List<Integer> from, String name) {
        load(from.get(0));
        load(from.get(1));
        code.invokevirtual(FLOATS, name, MethodTypeDesc.of(FLOATS, VECTOR));
    }

    private void compare(String operator, int x, int y) {
        load(x);
        code.getstatic(OPERATORS, operator, desc(VectorOperators.Comparison.class));
        load(y);
        code.invokevirtual(
                FLOATS,
                "compare",
                MethodTypeDesc.of(MASK, desc(VectorOperators.Comparison.class), VECTOR));
    }

    private void masks(List<Integer> from, String name) {
        load(from.get(0));
        load(from.get(1));
        code.invokevirtual(MASK, name, MethodTypeDesc.of(MASK, MASK));
    }

    /** (c and yes) or (no and not c). */
    private void selectTruth(int c, int yes, int no) {
        load(c);
        load(yes);
        code.invokevirtual(MASK, "and", MethodTypeDesc.of(MASK, MASK));
        load(no);
        load(c);
        code.invokevirtual(MASK, "andNot", MethodTypeDesc.of(MASK, MASK));
        code.invokevirtual(MASK, "or", MethodTypeDesc.of(MASK, MASK));
    }

    private void loadFloats(int a) {
        code.getstatic(FLOATS, "SPECIES_256", SPECIES)
                .aload(segments[a])
                .lload(starts[a])
                .iload(index)
                .i2l()
                .ladd();
        code.aload(order);
        if (masked) {
            code.aload(mask);
            code.invokestatic(
                    FLOATS,
                    "fromMemorySegment",
                    MethodTypeDesc.of(FLOATS, SPECIES, SEGMENT, CD_long, ORDER, MASK));
        } else {
            code.invokestatic(
                    FLOATS,
                    "fromMemorySegment",
                    MethodTypeDesc.of(FLOATS, SPECIES, SEGMENT, CD_long, ORDER));
        }
    }

    private void storeFloats(int place, int value) {
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
                    FLOATS,
                    "intoMemorySegment",
                    MethodTypeDesc.of(CD_void, SEGMENT, CD_long, ORDER, MASK));
        } else {
            code.invokevirtual(
                    FLOATS,
                    "intoMemorySegment",
                    MethodTypeDesc.of(CD_void, SEGMENT, CD_long, ORDER));
        }
    }

    /** Where the current eight elements of a register begin. */
    private void register(int place) {
        code.aload(3).lload(starts[place]).iload(index).iconst_2().ishr().i2l().ladd().l2i();
    }

    private void loadRegister(int a) {
        code.getstatic(FLOATS, "SPECIES_256", SPECIES);
        register(a);
        code.invokestatic(
                FLOATS,
                "fromArray",
                MethodTypeDesc.of(FLOATS, SPECIES, CD_float.arrayType(), CD_int));
    }

    private void storeRegister(int place, int value) {
        code.aload(value);
        register(place);
        code.invokevirtual(
                FLOATS, "intoArray", MethodTypeDesc.of(CD_void, CD_float.arrayType(), CD_int));
    }

    /**
     * Where the bits of the current eight elements lie: the index counts 32 bytes of floats for one
     * of bits.
     */
    private void bits(int place) {
        code.getstatic(READS, "BYTE", desc(ValueLayout.OfByte.class));
        code.lload(starts[place]).iload(index).iconst_5().ishr().i2l().ladd();
    }

    private void loadBits(int a) {
        code.getstatic(FLOATS, "SPECIES_256", SPECIES).aload(segments[a]);
        bits(a);
        code.invokeinterface(
                SEGMENT,
                "get",
                MethodTypeDesc.of(CD_byte, desc(ValueLayout.OfByte.class), CD_long));
        code.i2l();
        code.invokestatic(MASK, "fromLong", MethodTypeDesc.of(MASK, SPECIES, CD_long));
    }

    private void storeBits(int place, int value) {
        code.aload(segments[place]);
        bits(place);
        code.aload(value);
        if (masked) code.aload(mask).invokevirtual(MASK, "and", MethodTypeDesc.of(MASK, MASK));
        code.invokevirtual(MASK, "toLong", MethodTypeDesc.of(CD_long)).l2i().i2b();
        code.invokeinterface(
                SEGMENT,
                "set",
                MethodTypeDesc.of(CD_void, desc(ValueLayout.OfByte.class), CD_long, CD_byte));
    }
}
