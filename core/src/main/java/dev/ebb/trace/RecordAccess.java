package dev.ebb.trace;

import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DynamicConstantDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.AccessFlag;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Reads the components of objects of one class and constructs such objects. */
interface RecordAccess {

    /** The components of {@code of}, in order. */
    Object[] parts(Object of) throws Throwable;

    /** An object of these components. */
    Object construct(Object[] parts) throws Throwable;

    /** A faster version for many uses. */
    default RecordAccess compiled() {
        return this;
    }

    /** Access by calls of method handles, which need no preparation. */
    final class ByHandles implements RecordAccess {
        private final MethodHandle[] readers;
        private final MethodHandle maker;
        private final MethodHandle spread;

        /**
         * @param readers for each component a handle from the object to the component
         * @param maker a handle from the components to a new object
         */
        ByHandles(MethodHandle[] readers, MethodHandle maker) {
            this.readers = readers;
            this.maker = maker;
            spread = maker.asSpreader(Object[].class, readers.length);
        }

        @Override
        public Object[] parts(Object of) throws Throwable {
            var parts = new Object[readers.length];
            for (int i = 0; i < parts.length; i++) parts[i] = readers[i].invokeExact(of);
            return parts;
        }

        @Override
        public Object construct(Object[] parts) throws Throwable {
            return spread.invokeExact(parts);
        }

        /**
         * Access by a hidden class generated for this class of objects, in which the handles are
         * constants: the JIT then compiles a call to plain reads of fields and one allocation.
         */
        @Override
        public RecordAccess compiled() {
            var handles = new ArrayList<>(List.of(readers));
            handles.add(maker);
            try {
                var lookup =
                        MethodHandles.lookup()
                                .defineHiddenClassWithClassData(
                                        bytes(readers.length), handles, true);
                var constructor =
                        lookup.findConstructor(
                                lookup.lookupClass(), MethodType.methodType(void.class));
                return (RecordAccess) constructor.invoke();
            } catch (Throwable e) {
                throw new IllegalStateException("a generated class could not be loaded", e);
            }
        }
    }

    private static byte[] bytes(int count) {
        var object = ConstantDescs.CD_Object;
        var array = object.arrayType();
        var open = ClassFile.ACC_PUBLIC;
        return ClassFile.of()
                .build(
                        ClassDesc.of(RecordAccess.class.getPackageName() + ".Access"),
                        made -> {
                            made.withFlags(AccessFlag.FINAL);
                            made.withInterfaceSymbols(ClassDesc.of(RecordAccess.class.getName()));
                            made.withMethodBody(
                                    ConstantDescs.INIT_NAME,
                                    ConstantDescs.MTD_void,
                                    open,
                                    RecordAccess::begin);
                            made.withMethodBody(
                                    "parts",
                                    MethodTypeDesc.of(array, object),
                                    open,
                                    code -> parts(code, count));
                            made.withMethodBody(
                                    "construct",
                                    MethodTypeDesc.of(object, array),
                                    open,
                                    code -> construct(code, count));
                        });
    }

    private static void begin(CodeBuilder code) {
        code.aload(0)
                .invokespecial(
                        ConstantDescs.CD_Object, ConstantDescs.INIT_NAME, ConstantDescs.MTD_void)
                .return_();
    }

    private static void parts(CodeBuilder code, int count) {
        code.loadConstant(count).anewarray(ConstantDescs.CD_Object);
        for (int i = 0; i < count; i++) {
            code.dup().loadConstant(i).loadConstant(handle(i)).aload(1);
            call(code, 1);
            code.aastore();
        }
        code.areturn();
    }

    private static void construct(CodeBuilder code, int count) {
        code.loadConstant(handle(count));
        for (int i = 0; i < count; i++) code.aload(1).loadConstant(i).aaload();
        call(code, count);
        code.areturn();
    }

    private static void call(CodeBuilder code, int arguments) {
        var object = ConstantDescs.CD_Object;
        code.invokevirtual(
                ConstantDescs.CD_MethodHandle,
                "invokeExact",
                MethodTypeDesc.of(object, Collections.nCopies(arguments, object)));
    }

    /** Handle {@code i} of the class data, as a constant. */
    private static DynamicConstantDesc<?> handle(int i) {
        return DynamicConstantDesc.ofNamed(
                ConstantDescs.ofConstantBootstrap(
                        ConstantDescs.CD_MethodHandles,
                        "classDataAt",
                        ConstantDescs.CD_Object,
                        ConstantDescs.CD_int),
                ConstantDescs.DEFAULT_NAME,
                ConstantDescs.CD_MethodHandle,
                i);
    }
}
