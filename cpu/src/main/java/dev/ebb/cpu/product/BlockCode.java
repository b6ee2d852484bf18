package dev.ebb.cpu.product;

import static dev.ebb.cpu.code.GeneratedClass.desc;

import static java.lang.constant.ConstantDescs.CD_Class;
import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;

import dev.ebb.cpu.code.ClassData;

import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorSpecies;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;

/**
 * Generates the code of one block: calls of the Vector API, as they would be written by hand for
 * each height and element type. A multiply-add is called on a vector that was just loaded, because
 * C2 then knows its class without a profile. It would know the class of the sums, which are carried
 * from iteration to iteration, from a profile only; without a profile, or with one that contains
 * vectors of other lengths, the sums would be boxed, and a training step would take nearly twice as
 * long. So the code has a cast, which costs nothing and gives the class.
 */
final class BlockCode {
    private static final ClassDesc VECTOR = desc(Vector.class);
    private static final ClassDesc SPECIES = desc(VectorSpecies.class);
    private static final MethodTypeDesc CAST = MethodTypeDesc.of(CD_Object, CD_Object);

    // the parameters of a block
    private static final int DEPTH = 0;
    private static final int A = 1;
    private static final int AT = 2;
    private static final int STRIDE = 3;
    private static final int B = 4;
    private static final int BT = 5;
    private static final int C = 6;
    private static final int CT = 7;
    private static final int ROW = 8;

    /** The class of the vectors, of an element and of an array. */
    private final ClassDesc vectors;

    private final ClassDesc element;
    private final ClassDesc array;

    /** The concrete class of the vectors, which code cannot name, so it is among the constants. */
    private final Class<?> exact;

    private final ClassData data;

    /** Elements of a vector. */
    private final int length;

    private final CodeBuilder code;
    private final int height;

    /** Locals: two vectors of sums for each row, and the start of each row of the left factor. */
    private final int[] sums;

    private final int[] starts;
    private final int[] right;
    private final int left;
    private final int k;

    BlockCode(VectorSpecies<?> species, int height, ClassData data, CodeBuilder code) {
        vectors = desc(species.zero().getClass().getSuperclass());
        element = desc(species.elementType());
        array = element.arrayType();
        length = species.length();
        exact = species.vectorType();
        this.data = data;
        this.height = height;
        this.code = code;
        sums = locals(2 * height, TypeKind.REFERENCE);
        starts = locals(height, TypeKind.INT);
        right = locals(2, TypeKind.REFERENCE);
        left = code.allocateLocal(TypeKind.REFERENCE);
        k = code.allocateLocal(TypeKind.INT);
    }

    static MethodTypeDesc type(VectorSpecies<?> species) {
        var array = desc(species.elementType()).arrayType();
        return MethodTypeDesc.of(
                CD_void, CD_int, array, CD_int, CD_int, array, CD_int, array, CD_int, CD_int);
    }

    private int[] locals(int count, TypeKind kind) {
        var locals = new int[count];
        for (int i = 0; i < count; i++) locals[i] = code.allocateLocal(kind);
        return locals;
    }

    /**
     * Writes the whole method.
     *
     * @param along whether the left factor is stored row by row along the depth, or column by
     *     column
     * @param adds whether the product is added to the result or replaces it
     */
    void write(boolean along, boolean adds) {
        species();
        code.invokestatic(vectors, "zero", MethodTypeDesc.of(vectors, SPECIES));
        code.astore(sums[0]);
        for (int i = 1; i < sums.length; i++) code.aload(sums[0]).astore(sums[i]);
        for (int i = 0; along && i < height; i++) {
            row(AT, i, STRIDE);
            code.istore(starts[i]);
        }
        var top = code.newLabel();
        var done = code.newLabel();
        code.iconst_0().istore(k);
        code.labelBinding(top).iload(k).iload(DEPTH).if_icmpge(done);
        for (int half = 0; half < 2; half++) {
            species();
            code.aload(B).iload(BT).iload(k).loadConstant(2 * length).imul().iadd();
            load(half);
            code.astore(right[half]);
        }
        for (int i = 0; i < height; i++) {
            species();
            code.aload(A);
            if (along) code.iload(starts[i]).iload(k).iadd();
            else code.iload(AT).iload(k).iload(STRIDE).imul().iadd().loadConstant(i).iadd();
            code.arrayLoad(TypeKind.from(element));
            code.invokestatic(vectors, "broadcast", MethodTypeDesc.of(vectors, SPECIES, element));
            code.astore(left);
            for (int half = 0; half < 2; half++) {
                int sum = sums[2 * i + half];
                code.aload(left).aload(right[half]).aload(sum);
                code.invokevirtual(vectors, "fma", MethodTypeDesc.of(vectors, VECTOR, VECTOR));
                code.astore(sum);
            }
        }
        code.iinc(k, 1).goto_(top).labelBinding(done);
        for (int i = 0; i < sums.length; i++) store(i, adds);
        code.return_();
    }

    private void store(int i, boolean adds) {
        sum(sums[i]);
        if (adds) {
            species();
            code.aload(C);
            row(CT, i / 2, ROW);
            load(i % 2);
            code.invokevirtual(vectors, "add", MethodTypeDesc.of(vectors, VECTOR));
        }
        code.aload(C);
        row(CT, i / 2, ROW);
        code.loadConstant(i % 2 * length).iadd();
        code.invokevirtual(vectors, "intoArray", MethodTypeDesc.of(CD_void, array, CD_int));
    }

    /** Pushes a sum, cast to the concrete class. */
    private void sum(int local) {
        data.push(code, exact, Class.class);
        code.aload(local).invokevirtual(CD_Class, "cast", CAST).checkcast(vectors);
    }

    private void species() {
        code.getstatic(vectors, "SPECIES_PREFERRED", SPECIES);
    }

    /** Pushes the start of row {@code i}. */
    private void row(int start, int i, int stride) {
        code.iload(start).loadConstant(i).iload(stride).imul().iadd();
    }

    private void load(int half) {
        code.loadConstant(half * length).iadd();
        code.invokestatic(vectors, "fromArray", MethodTypeDesc.of(vectors, SPECIES, array, CD_int));
    }
}
