package dev.ebb.cpu.code;

import static dev.ebb.cpu.code.GeneratedClass.desc;

import static java.lang.constant.ConstantDescs.CD_double;
import static java.lang.constant.ConstantDescs.CD_float;
import static java.lang.constant.ConstantDescs.CD_int;

import dev.ebb.cpu.code.FusedForm.Access;
import dev.ebb.cpu.tile.F32Steps;
import dev.ebb.cpu.tile.F64Steps;
import dev.ebb.ir.DType;

import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.List;

/**
 * Writes the bytecode of a {@link Fused} loop: calls of the Vector API, which C2 compiles to the
 * same loop as hand-written code ({@code FusedBench}). Repeated arguments and constants become
 * vectors before the loop. The tail is the same code under a mask. An iteration of the loop
 * computes eight elements: one vector of f32, or two of f64.
 */
final class FusedCode {
    static final ClassDesc FLOATS = desc(FloatVector.class);
    static final ClassDesc VECTOR = desc(Vector.class);
    static final ClassDesc MASK = desc(VectorMask.class);
    static final ClassDesc SPECIES = desc(VectorSpecies.class);
    private static final ClassDesc OPERATORS = desc(VectorOperators.class);
    private final FusedForm form;
    private final CodeBuilder code;
    private final FusedMemory memory;
    private final boolean wide;

    /** The class of its vectors, and the type of their elements. */
    private final ClassDesc numbers;

    private final ClassDesc number;

    /** The binary logarithm of the bytes of a number. */
    private final int shift;

    final int[] starts;
    final int[] values;
    final int index;
    final int end;
    final int mask;

    FusedCode(FusedForm form, CodeBuilder code, boolean masked) {
        this.form = form;
        this.code = code;
        wide = form.type() == DType.F64;
        numbers = desc(wide ? DoubleVector.class : FloatVector.class);
        number = wide ? CD_double : CD_float;
        shift = wide ? 3 : 2;
        int places = form.accesses().size() + form.sinks().size();
        memory = new FusedMemory(form.type(), places, code, masked);
        starts = memory.starts;
        index = memory.index;
        mask = memory.mask;
        values = new int[form.operations().size()];
        for (int i = 0; i < values.length; i++) values[i] = code.allocateLocal(TypeKind.REFERENCE);
        end = code.allocateLocal(TypeKind.INT);
    }

    /** Writes the loop over a whole run. */
    void loop() {
        prologue();
        code.iload(4).loadConstant(shift).ishl().istore(end);
        var top = code.newLabel();
        var done = code.newLabel();
        code.labelBinding(top).iload(index).iload(end).if_icmpge(done);
        eight(() -> {});
        code.goto_(top);
        code.labelBinding(done).return_();
    }

    /** Writes the tail. */
    void once() {
        prologue();
        eight(this::mask);
        code.return_();
    }

    /** Writes the code for eight elements: one vector or two. */
    private void eight(Runnable before) {
        for (int half = 0; half < (wide ? 2 : 1); half++) {
            memory.half = half;
            before.run();
            body();
            code.iinc(index, 32);
        }
    }

    /** Writes the mask of the tail's lanes. */
    void mask() {
        code.getstatic(numbers, "SPECIES_256", SPECIES).loadConstant(memory.lane()).iload(4);
        code.invokeinterface(SPECIES, "indexInRange", MethodTypeDesc.of(MASK, CD_int, CD_int))
                .astore(mask);
    }

    private void prologue() {
        places();
        steady();
    }

    /** Writes the loads of all offsets. */
    void places() {
        memory.places();
    }

    /** Writes the values that do not change within a run. */
    void steady() {
        for (int i = 0; i < values.length; i++) {
            var operation = form.operations().get(i);
            switch (operation.function()) {
                case CONSTANT -> {
                    code.getstatic(numbers, "SPECIES_256", SPECIES);
                    if (wide) code.loadConstant(operation.value());
                    else code.loadConstant((float) operation.value());
                    broadcast(i);
                }
                case ARGUMENT -> {
                    int a = (int) operation.value();
                    if (!isRepeated(a)) continue;
                    code.getstatic(numbers, "SPECIES_256", SPECIES);
                    memory.loadOne(a, form.accesses().get(a) == Access.HELD);
                    broadcast(i);
                }
                default -> {}
            }
        }
    }

    private boolean isRepeated(int a) {
        return form.accesses().get(a) == Access.FLOAT || form.accesses().get(a) == Access.HELD;
    }

    private void broadcast(int i) {
        code.invokestatic(numbers, "broadcast", MethodTypeDesc.of(numbers, SPECIES, number))
                .astore(values[i]);
    }

    void body() {
        values();
        for (int j = 0; j < form.sinks().size(); j++) {
            int place = form.accesses().size() + j;
            int from = values[form.results().get(j)];
            switch (form.sinks().get(j)) {
                case FLOATS -> memory.storeFloats(place, from);
                case BITS -> memory.storeBits(place, from);
                case REGISTER -> memory.storeRegister(place, from);
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
                    case FLOATS -> memory.loadFloats(a);
                    case BITS -> memory.loadBits(a);
                    case REGISTER -> memory.loadRegister(a);
                    case FLOAT, HELD -> {
                        return;
                    }
                }
            }
            case NEG -> lanes(from, "neg");
            case ABS -> lanes(from, "abs");
            case SQRT -> lanes(from, "sqrt");
            case SIGN -> call(wide ? F64Steps.class : F32Steps.class, "sign", from);
            case EXP, EXPM1, LOG, LOG1P, TANH, ERF, ERFC, SIN, COS, TAN, ATAN ->
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
                code.invokevirtual(numbers, "blend", MethodTypeDesc.of(numbers, VECTOR, MASK));
            }
            case SELECT_TRUTH -> selectTruth(from.get(0), from.get(1), from.get(2));
            case ZERO_OR_ONE -> {
                code.getstatic(numbers, "SPECIES_256", SPECIES);
                code.invokestatic(numbers, "zero", MethodTypeDesc.of(numbers, SPECIES));
                if (wide) code.dconst_1();
                else code.fconst_1();
                load(from.getFirst());
                code.invokevirtual(numbers, "blend", MethodTypeDesc.of(numbers, number, MASK));
            }
        }
        code.astore(values[i]);
    }

    private void load(int operation) {
        code.aload(values[operation]);
    }

    private void lanes(List<Integer> from, String name) {
        load(from.getFirst());
        code.invokevirtual(numbers, name, MethodTypeDesc.of(numbers));
    }

    private void call(Class<?> owner, String name, List<Integer> from) {
        load(from.getFirst());
        code.invokestatic(desc(owner), name, MethodTypeDesc.of(numbers, numbers));
    }

    private void pair(List<Integer> from, String name) {
        load(from.get(0));
        load(from.get(1));
        code.invokevirtual(numbers, name, MethodTypeDesc.of(numbers, VECTOR));
    }

    private void compare(String operator, int x, int y) {
        load(x);
        code.getstatic(OPERATORS, operator, desc(VectorOperators.Comparison.class));
        load(y);
        code.invokevirtual(
                numbers,
                "compare",
                MethodTypeDesc.of(MASK, desc(VectorOperators.Comparison.class), VECTOR));
    }

    private void masks(List<Integer> from, String name) {
        load(from.get(0));
        load(from.get(1));
        code.invokevirtual(MASK, name, MethodTypeDesc.of(MASK, MASK));
    }

    /** Writes (c and yes) or (no and not c). */
    private void selectTruth(int c, int yes, int no) {
        load(c);
        load(yes);
        code.invokevirtual(MASK, "and", MethodTypeDesc.of(MASK, MASK));
        load(no);
        load(c);
        code.invokevirtual(MASK, "andNot", MethodTypeDesc.of(MASK, MASK));
        code.invokevirtual(MASK, "or", MethodTypeDesc.of(MASK, MASK));
    }
}
