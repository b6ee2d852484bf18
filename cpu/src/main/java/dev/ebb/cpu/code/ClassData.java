package dev.ebb.cpu.code;

import static dev.ebb.cpu.code.GeneratedClass.desc;

import static java.lang.constant.ConstantDescs.CD_Class;
import static java.lang.constant.ConstantDescs.CD_MethodHandles_Lookup;
import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_String;
import static java.lang.constant.ConstantDescs.CD_int;

import java.lang.classfile.CodeBuilder;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicConstantDesc;
import java.lang.constant.MethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * The objects that generated code refers to: memory segments, and kernels that it calls. The code
 * loads them as constants, so that the JIT knows the bounds of the segments.
 */
public final class ClassData {
    private static final DirectMethodHandleDesc AT =
            MethodHandleDesc.ofMethod(
                    DirectMethodHandleDesc.Kind.STATIC,
                    desc(MethodHandles.class),
                    "classDataAt",
                    MethodTypeDesc.of(
                            CD_Object, CD_MethodHandles_Lookup, CD_String, CD_Class, CD_int));

    private final List<Object> objects = new ArrayList<>();
    private final Map<Object, Integer> places = new IdentityHashMap<>();

    /** Pushes {@code object}, as a {@code type}. */
    public void push(CodeBuilder code, Object object, Class<?> type) {
        var before = places.get(object);
        int at = before == null ? objects.size() : before;
        if (before == null) {
            objects.add(object);
            places.put(object, at);
        }
        code.loadConstant(DynamicConstantDesc.ofNamed(AT, "_", desc(type), at));
    }

    public List<Object> objects() {
        return List.copyOf(objects);
    }
}
