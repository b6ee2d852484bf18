package dev.ebb.cpu.code;

import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.MTD_void;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.util.function.Consumer;

/** Loads classes whose bytecode was generated at run time. */
public final class GeneratedClass {
    private GeneratedClass() {}

    /** The descriptor of a type in bytecode. */
    public static ClassDesc desc(Class<?> type) {
        return type.describeConstable().orElseThrow();
    }

    /** Adds a method of the interface that the class implements. */
    public static void method(
            ClassBuilder c, String name, MethodTypeDesc type, Consumer<CodeBuilder> body) {
        c.withMethodBody(name, type, ClassFile.ACC_PUBLIC, body);
    }

    /** Adds a static method that only the class itself calls. */
    public static void ownMethod(
            ClassBuilder c, String name, MethodTypeDesc type, Consumer<CodeBuilder> body) {
        c.withMethodBody(name, type, ClassFile.ACC_PRIVATE | ClassFile.ACC_STATIC, body);
    }

    /**
     * An instance of a new hidden class.
     *
     * @param lookup of the package to which the class is added
     * @param self the name by which its own code refers to it
     * @param of the interface that it implements
     * @param data the objects that its code loads as constants
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
                                            .withInterfaceSymbols(desc(of));
                                    method(c, "<init>", MTD_void, GeneratedClass::begin);
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

    private static void begin(CodeBuilder code) {
        code.aload(0).invokespecial(CD_Object, "<init>", MTD_void).return_();
    }
}
