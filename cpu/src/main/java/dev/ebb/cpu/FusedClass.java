package dev.ebb.cpu;

import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_float;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;
import static java.lang.constant.ConstantDescs.MTD_void;

import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;

/** Makes the class of a {@link Fused} loop. */
final class FusedClass {
    private static final ClassDesc SELF = ClassDesc.of("dev.ebb.cpu.FusedLoop");
    private static final MethodTypeDesc RUN =
            MethodTypeDesc.of(
                    CD_void,
                    FusedCode.desc(MemorySegment.class).arrayType(),
                    CD_long.arrayType(),
                    CD_float.arrayType(),
                    CD_int);

    private FusedClass() {}

    /** A new class that runs {@code form}. */
    static Fused generate(FusedForm form) {
        var bytes =
                ClassFile.of()
                        .build(
                                SELF,
                                c ->
                                        c.withFlags(ClassFile.ACC_FINAL)
                                                .withInterfaceSymbols(FusedCode.desc(Fused.class))
                                                .withMethodBody(
                                                        "<init>",
                                                        MTD_void,
                                                        0,
                                                        b ->
                                                                b.aload(0)
                                                                        .invokespecial(
                                                                                CD_Object, "<init>",
                                                                                MTD_void)
                                                                        .return_())
                                                .withMethodBody(
                                                        "run",
                                                        RUN,
                                                        ClassFile.ACC_PUBLIC,
                                                        b -> new FusedCode(form, b, false).loop())
                                                .withMethodBody(
                                                        "tail",
                                                        RUN,
                                                        ClassFile.ACC_PUBLIC,
                                                        b -> new FusedCode(form, b, true).once()));
        try {
            var type = MethodHandles.lookup().defineHiddenClass(bytes, true).lookupClass();
            return (Fused) type.getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("a generated loop cannot be loaded: " + form, e);
        }
    }
}
