package dev.ebb.cpu.code;

import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.MTD_void;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.invoke.MethodHandles;
import java.util.function.Consumer;

/** Loads classes whose code was written at run time. */
public final class GeneratedClass {
    private GeneratedClass() {}

    /** How code names a type. */
    public static ClassDesc desc(Class<?> type) {
        return type.describeConstable().orElseThrow();
    }

    /**
     * An instance of a new hidden class.
     *
     * @param lookup of the package that the class becomes a part of
     * @param self how its own code names it
     * @param of the interface that it implements
     * @param data the objects that its code has as constants
     * @param methods adds its methods
     */
    public static <T> T instance(
            MethodHandles.Lookup lookup,
            ClassDesc self,
            Class<T> of,
            ClassData data,
            Consumer<ClassBuilder> methods) {
        var bytes =
                ClassFile.of()
                        .build(
                                self,
                                c -> {
                                    c.withFlags(ClassFile.ACC_PUBLIC | ClassFile.ACC_FINAL)
                                            .withInterfaceSymbols(desc(of))
                                            .withMethodBody(
                                                    "<init>",
                                                    MTD_void,
                                                    ClassFile.ACC_PUBLIC,
                                                    b ->
                                                            b.aload(0)
                                                                    .invokespecial(
                                                                            CD_Object, "<init>",
                                                                            MTD_void)
                                                                    .return_());
                                    methods.accept(c);
                                });
        try {
            var type =
                    lookup.defineHiddenClassWithClassData(bytes, data.objects(), true)
                            .lookupClass();
            return of.cast(type.getDeclaredConstructor().newInstance());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("a generated class cannot be loaded", e);
        }
    }
}
