package dev.ebb.cpu.code;

import static dev.ebb.cpu.code.GeneratedClass.desc;

import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_float;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.ClassBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.util.function.Consumer;

/** Generates the class of a {@link Fused} loop. */
final class FusedClass {
    private static final ClassDesc SELF = ClassDesc.of("dev.ebb.cpu.code.FusedLoop");
    private static final MethodTypeDesc RUN =
            MethodTypeDesc.of(
                    CD_void,
                    desc(MemorySegment.class).arrayType(),
                    CD_long.arrayType(),
                    CD_Object,
                    CD_int);

    private FusedClass() {}

    private static final MethodTypeDesc ROWS =
            MethodTypeDesc.of(
                    CD_void,
                    desc(MemorySegment.class).arrayType(),
                    CD_long.arrayType(),
                    CD_float.arrayType(),
                    CD_int,
                    CD_long.arrayType(),
                    CD_int);

    /** A new class that runs {@code form}. */
    static Fused generate(FusedForm form) {
        return instance(
                Fused.class,
                c -> {
                    GeneratedClass.method(c, "run", RUN, b -> new FusedCode(form, b, false).loop());
                    GeneratedClass.method(c, "tail", RUN, b -> new FusedCode(form, b, true).once());
                });
    }

    /** A new class that runs {@code form} over rows. */
    static FusedRows generate(RowForm form) {
        return instance(
                FusedRows.class,
                c -> {
                    GeneratedClass.method(c, "rows", ROWS, b -> new RowCode(form, b, false).rows());
                    GeneratedClass.method(
                            c, "tails", ROWS, b -> new RowCode(form, b, true).tails());
                });
    }

    private static <T> T instance(Class<T> of, Consumer<ClassBuilder> methods) {
        return GeneratedClass.instance(MethodHandles.lookup(), SELF, of, new ClassData(), methods);
    }
}
