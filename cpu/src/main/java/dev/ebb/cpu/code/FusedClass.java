package dev.ebb.cpu.code;

import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_float;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;
import static java.lang.constant.ConstantDescs.MTD_void;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.util.function.Consumer;

/** Makes the class of a {@link Fused} loop. */
final class FusedClass {
    private static final ClassDesc SELF = ClassDesc.of("dev.ebb.cpu.code.FusedLoop");
    private static final MethodTypeDesc RUN =
            MethodTypeDesc.of(
                    CD_void,
                    FusedCode.desc(MemorySegment.class).arrayType(),
                    CD_long.arrayType(),
                    CD_Object,
                    CD_int);

    private FusedClass() {}

    private static final MethodTypeDesc ROWS =
            MethodTypeDesc.of(
                    CD_void,
                    FusedCode.desc(MemorySegment.class).arrayType(),
                    CD_long.arrayType(),
                    CD_float.arrayType(),
                    CD_int,
                    CD_long.arrayType(),
                    CD_int);

    /** A new class that runs {@code form}. */
    static Fused generate(FusedForm form) {
        return (Fused)
                instance(
                        Fused.class,
                        c ->
                                c.withMethodBody(
                                                "run",
                                                RUN,
                                                ClassFile.ACC_PUBLIC,
                                                b -> new FusedCode(form, b, false).loop())
                                        .withMethodBody(
                                                "tail",
                                                RUN,
                                                ClassFile.ACC_PUBLIC,
                                                b -> new FusedCode(form, b, true).once()));
    }

    /** A new class that runs {@code form} over rows. */
    static FusedRows generate(RowForm form) {
        return (FusedRows)
                instance(
                        FusedRows.class,
                        c ->
                                c.withMethodBody(
                                                "rows",
                                                ROWS,
                                                ClassFile.ACC_PUBLIC,
                                                b -> new RowCode(form, b, false).rows())
                                        .withMethodBody(
                                                "tails",
                                                ROWS,
                                                ClassFile.ACC_PUBLIC,
                                                b -> new RowCode(form, b, true).tails()));
    }

    private static Object instance(Class<?> of, Consumer<ClassBuilder> methods) {
        var bytes =
                ClassFile.of()
                        .build(
                                SELF,
                                c -> {
                                    c.withFlags(ClassFile.ACC_FINAL)
                                            .withInterfaceSymbols(FusedCode.desc(of))
                                            .withMethodBody(
                                                    "<init>",
                                                    MTD_void,
                                                    0,
                                                    b ->
                                                            b.aload(0)
                                                                    .invokespecial(
                                                                            CD_Object, "<init>",
                                                                            MTD_void)
                                                                    .return_());
                                    methods.accept(c);
                                });
        try {
            var type = MethodHandles.lookup().defineHiddenClass(bytes, true).lookupClass();
            return type.getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("a generated loop cannot be loaded", e);
        }
    }
}
