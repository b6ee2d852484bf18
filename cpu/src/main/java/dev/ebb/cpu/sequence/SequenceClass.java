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
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.util.function.Consumer;

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
                c -> {
                    for (int i = 0; i < form.parts().size(); i++) {
                        int part = i;
                        method(c, "part" + i, MTD_void, code -> write(form, part, code, data));
                    }
                    c.withMethodBody(
                            "run",
                            MTD_void,
                            ClassFile.ACC_PUBLIC,
                            code -> {
                                for (int i = 0; i < form.parts().size(); i++)
                                    code.invokestatic(SELF, "part" + i, MTD_void);
                                code.return_();
                            });
                });
    }

    /** The same with arguments and results in arrays. */
    static ArrayFunction direct(Sequence sequence, int arguments) {
        var form = SequenceParts.of(sequence, arguments, true);
        var data = new ClassData();
        return instance(
                ArrayFunction.class,
                data,
                c -> {
                    for (int i = 0; i < form.parts().size(); i++) {
                        int part = i;
                        method(c, "part" + i, ARRAYS, code -> write(form, part, code, data));
                    }
                    c.withMethodBody(
                            "apply",
                            ARRAYS,
                            ClassFile.ACC_PUBLIC,
                            code -> {
                                for (int i = 0; i < form.parts().size(); i++)
                                    code.aload(1).aload(2).invokestatic(SELF, "part" + i, ARRAYS);
                                code.return_();
                            });
                    c.withMethodBody(
                            "isPure",
                            MethodTypeDesc.of(CD_boolean),
                            ClassFile.ACC_PUBLIC,
                            code -> code.loadConstant(data.objects().isEmpty() ? 1 : 0).ireturn());
                });
    }

    /** Compiles one node into a method that takes the addresses of operands and results. */
    static RelocatableKernel relocatable(Node node) {
        return instance(
                RelocatableKernel.class,
                new ClassData(),
                c ->
                        c.withMethodBody(
                                "run",
                                ANYWHERE,
                                ClassFile.ACC_PUBLIC,
                                code -> new RelocatableCode(node, code).write()));
    }

    private static void write(SequenceParts form, int part, CodeBuilder code, ClassData data) {
        new MethodCode(form, part, code, data).write();
        code.return_();
    }

    private static void method(
            ClassBuilder c, String name, MethodTypeDesc type, Consumer<CodeBuilder> body) {
        c.withMethodBody(name, type, ClassFile.ACC_PRIVATE | ClassFile.ACC_STATIC, body);
    }

    static <T> T instance(Class<T> of, ClassData data, Consumer<ClassBuilder> methods) {
        return GeneratedClass.instance(MethodHandles.lookup(), SELF, of, data, methods);
    }
}
