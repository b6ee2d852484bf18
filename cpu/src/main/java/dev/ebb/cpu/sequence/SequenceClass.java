package dev.ebb.cpu.sequence;

import static dev.ebb.cpu.code.GeneratedClass.desc;

import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_double;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;
import static java.lang.constant.ConstantDescs.MTD_void;

import dev.ebb.cpu.code.ClassData;
import dev.ebb.cpu.code.GeneratedClass;
import dev.ebb.exec.ArrayFunction;
import dev.ebb.exec.CompiledSequence;
import dev.ebb.exec.RelocatableKernel;
import dev.ebb.exec.Sequence;
import dev.ebb.ir.Node;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.util.function.Consumer;
import java.util.function.ObjIntConsumer;

/** Generates the hidden class of a {@link SequenceParts}, with a method for each of its parts. */
final class SequenceClass {
    static final ClassDesc SELF = ClassDesc.of("dev.ebb.cpu.sequence.CompiledProgram");
    private static final ClassDesc ARRAY = CD_double.arrayType();
    private static final MethodTypeDesc ARRAYS = MethodTypeDesc.of(CD_void, ARRAY, ARRAY);

    private static final MethodTypeDesc ANYWHERE =
            MethodTypeDesc.of(CD_void, desc(MemorySegment.class), CD_long.arrayType());

    private SequenceClass() {}

    /** Compiles the whole of {@code sequence}, with values in their planned memory. */
    static CompiledSequence inPlace(Sequence sequence) {
        var form = SequenceParts.of(sequence, 0, false);
        var data = new ClassData();
        return instance(
                CompiledSequence.class,
                data,
                c ->
                        parts(
                                c,
                                form.parts().size(),
                                "run",
                                MTD_void,
                                (code, i) -> write(form, i, code, data)));
    }

    /** The same with arguments and results in arrays. */
    static ArrayFunction direct(Sequence sequence, int arguments) {
        var form = SequenceParts.of(sequence, arguments, true);
        var data = new ClassData();
        return instance(
                ArrayFunction.class,
                data,
                c -> {
                    parts(
                            c,
                            form.parts().size(),
                            "apply",
                            ARRAYS,
                            (code, i) -> write(form, i, code, data));
                    GeneratedClass.method(
                            c,
                            "isPure",
                            MethodTypeDesc.of(CD_boolean),
                            code -> code.loadConstant(data.objects().isEmpty() ? 1 : 0).ireturn());
                });
    }

    /** Compiles one node into a method that takes the addresses of operands and results. */
    static RelocatableKernel relocatable(Node node) {
        return instance(
                RelocatableKernel.class,
                new ClassData(),
                c ->
                        GeneratedClass.method(
                                c,
                                "run",
                                ANYWHERE,
                                code -> new RelocatableCode(node, code).write()));
    }

    private static void write(SequenceParts form, int part, CodeBuilder code, ClassData data) {
        new MethodCode(form, part, code, data).write();
        code.return_();
    }

    /**
     * Adds a method for each part, and the method {@code name} that calls them one after the other
     * with its own arguments.
     */
    static void parts(
            ClassBuilder c,
            int count,
            String name,
            MethodTypeDesc type,
            ObjIntConsumer<CodeBuilder> part) {
        for (int i = 0; i < count; i++) {
            int own = i;
            GeneratedClass.ownMethod(c, "part" + i, type, code -> part.accept(code, own));
        }
        GeneratedClass.method(
                c,
                name,
                type,
                code -> {
                    for (int i = 0; i < count; i++) {
                        for (int p = 0; p < type.parameterCount(); p++)
                            code.loadLocal(
                                    TypeKind.from(type.parameterType(p)), code.parameterSlot(p));
                        code.invokestatic(SELF, "part" + i, type);
                    }
                    code.return_();
                });
    }

    static <T> T instance(Class<T> of, ClassData data, Consumer<ClassBuilder> methods) {
        return GeneratedClass.instance(MethodHandles.lookup(), SELF, of, data, methods);
    }
}
