package dev.ebb.cpu.sequence;

import static java.lang.constant.ConstantDescs.CD_double;
import static java.lang.constant.ConstantDescs.CD_float;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;

import dev.ebb.cpu.code.ClassData;
import dev.ebb.cpu.code.GeneratedClass;
import dev.ebb.exec.Sequence;
import dev.ebb.ir.DType;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.MethodTypeDesc;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Emits one method of a {@link MergedLoopForm}. Its locals 0 to 3 are the registers of f64 and f32,
 * the number of iterations and the first of them. Within an iteration, or within unrolled
 * computations, values are in locals; those that other methods read are stored in registers.
 */
final class MergedLoopCode {
    private static final MethodTypeDesc TYPE =
            MethodTypeDesc.of(CD_void, CD_double.arrayType(), CD_float.arrayType(), CD_int, CD_int);

    private static final int FIRST = 3;

    private final MergedLoopForm form;
    private final List<MergedLoop.Member> part;
    private final CodeBuilder code;
    private final ElementAccess elements;
    private final KernelCode kernels;
    private final Map<RegisterSlot.Access, Operand> known = new HashMap<>();

    /** Locals with offsets relative to iteration zero. */
    private final Map<RegisterSlot.Move, Integer> moves = new HashMap<>();

    private MergedLoopCode(MergedLoopForm form, List<MergedLoop.Member> part, CodeBuilder code) {
        this.form = form;
        this.part = part;
        this.code = code;
        elements = new ElementAccess(code, ElementAccess.fixed(code, new ClassData()));
        kernels = new KernelCode(new ScalarCode(code, elements));
    }

    /** Generates the class with the code of all parts. */
    static MergedLoopBody make(MergedLoopForm form) {
        var objects = new ClassData();
        return SequenceClass.instance(
                MergedLoopBody.class,
                objects,
                c -> {
                    picks(form, c, objects);
                    SequenceClass.parts(
                            c,
                            form.parts().size(),
                            "run",
                            TYPE,
                            (code, i) ->
                                    new MergedLoopCode(form, form.parts().get(i), code).write());
                });
    }

    private static void picks(MergedLoopForm form, ClassBuilder c, ClassData objects) {
        var picks = form.merged().picks();
        for (int i = 0; i < picks.size(); i++) {
            var pick = picks.get(i);
            GeneratedClass.ownMethod(
                    c,
                    "pick" + i,
                    LoopGatherCode.TYPE,
                    code -> new LoopGatherCode(code, objects).write(pick, form.iterations()));
        }
        GeneratedClass.method(
                c,
                "pick",
                LoopGatherCode.TYPE.insertParameterTypes(0, CD_int),
                code -> {
                    for (int i = 0; i < picks.size(); i++) {
                        var next = code.newLabel();
                        code.iload(1).loadConstant(i).if_icmpne(next);
                        code.aload(2).aload(3).lload(4).lload(6).iload(8).iload(9);
                        code.invokestatic(SequenceClass.SELF, "pick" + i, LoopGatherCode.TYPE);
                        code.return_().labelBinding(next);
                    }
                    code.return_();
                });
    }

    private void write() {
        if (part.getFirst().sliced().isEmpty()) {
            for (var member : part) whole(member);
            code.return_();
            return;
        }
        int iteration = code.allocateLocal(TypeKind.INT);
        code.iconst_0().istore(iteration);
        var next = code.newLabel();
        var end = code.newLabel();
        code.labelBinding(next).iload(iteration).iload(2).if_icmpge(end);
        for (var move : moves()) {
            int local = code.allocateLocal(TypeKind.INT);
            switch (move) {
                case RegisterSlot.Move.Step(long by) ->
                        code.iload(iteration).loadConstant((int) by).imul();
                case RegisterSlot.Move.Walk walk -> walk(walk, iteration);
            }
            code.istore(local);
            moves.put(move, local);
        }
        for (var member : part) iteration(member);
        code.iinc(iteration, 1).goto_(next).labelBinding(end).return_();
    }

    /** Pushes the offset of the iteration in a local along the axes that move it. */
    private void walk(RegisterSlot.Move.Walk walk, int iteration) {
        code.iconst_0();
        long inner = 1;
        for (int d = walk.loop().rank() - 1; d >= 0; d--) {
            int size = walk.loop().dim(d);
            long stride = walk.strides().get(d);
            if (size > 1 && stride != 0) {
                code.iload(FIRST).iload(iteration).iadd();
                if (inner > 1) code.loadConstant((int) inner).idiv();
                if (d > 0) code.loadConstant(size).irem();
                code.loadConstant((int) stride).imul().iadd();
            }
            inner *= size;
        }
    }

    private Set<RegisterSlot.Move> moves() {
        var all = new LinkedHashSet<RegisterSlot.Move>();
        for (var member : part) {
            var sliced = member.sliced().orElseThrow();
            for (int i = 0; i < sliced.inputs().size(); i++)
                for (long at : sliced.inputs().get(i).touched())
                    all.add(input(member, i, at).move());
            for (int j = 0; j < sliced.outputs().size(); j++) all.add(output(member, j, 0).move());
        }
        all.remove(RegisterSlot.Move.NONE);
        return all;
    }

    private RegisterSlot.Access input(MergedLoop.Member member, int i, long at) {
        return form.merged()
                .access(
                        member.sliced().orElseThrow().inputs().get(i),
                        member.work().node().inputs().get(i),
                        at)
                .orElseThrow();
    }

    private RegisterSlot.Access output(MergedLoop.Member member, int j, long number) {
        return form.merged()
                .made(member.made().get(j), member.sliced().orElseThrow().outputs().get(j), number);
    }

    private void iteration(MergedLoop.Member member) {
        var sliced = member.sliced().orElseThrow();
        var made =
                kernels.write(
                        sliced.kernel(),
                        types(member),
                        member.made().stream().map(v -> v.type().dtype()).toList(),
                        (i, p) ->
                                read(
                                        input(
                                                member,
                                                i,
                                                sliced.inputs().get(i).address().applyAsLong(p))));
        for (int j = 0; j < made.size(); j++)
            for (int r = 0; r < made.get(j).size(); r++)
                keep(output(member, j, r), made.get(j).get(r));
    }

    private void whole(MergedLoop.Member member) {
        var node = member.work().node();
        var made =
                kernels.write(
                        node.kernel(),
                        types(member),
                        member.made().stream().map(v -> v.type().dtype()).toList(),
                        (i, p) -> read(element(node.inputs().get(i), p)));
        for (int j = 0; j < made.size(); j++)
            for (int r = 0; r < made.get(j).size(); r++)
                keep(element(member.made().get(j), r), made.get(j).get(r));
    }

    private static RegisterSlot.Access element(Value value, long at) {
        return new RegisterSlot.Access(RegisterSlot.whole(value), 0, at, RegisterSlot.Move.NONE);
    }

    private static List<DType> types(MergedLoop.Member member) {
        return member.work().node().inputTypes().stream().map(Type::dtype).toList();
    }

    private Operand read(RegisterSlot.Access access) {
        var before = known.get(access);
        if (before != null) return before;
        var constant = form.merged().constant(access.slot().value());
        if (constant.isPresent()) return constant(constant.get(), access);
        var type = access.slot().value().type().dtype();
        place(access, type);
        if (type == DType.F64) code.daload();
        else code.faload();
        var made = elements.keep(type);
        known.put(access, made);
        return made;
    }

    private Operand constant(Sequence.Work work, RegisterSlot.Access access) {
        var node = work.node();
        var made =
                kernels.write(
                        node.kernel(),
                        node.inputTypes().stream().map(Type::dtype).toList(),
                        node.outputTypes().stream().map(Type::dtype).toList(),
                        (i, p) -> read(element(node.inputs().get(i), p)));
        for (int j = 0; j < made.size(); j++)
            for (int r = 0; r < made.get(j).size(); r++)
                known.put(element(node.outputs().get(j), r), made.get(j).get(r));
        return Objects.requireNonNull(known.get(access));
    }

    private void keep(RegisterSlot.Access access, Operand made) {
        known.put(access, made);
        if (!form.starts().containsKey(access.slot())) return;
        var type = access.slot().value().type().dtype();
        place(access, type);
        elements.push(made);
        if (type == DType.F64) code.dastore();
        else code.fastore();
    }

    /** Pushes the register array and the index in it. */
    private void place(RegisterSlot.Access access, DType type) {
        int at = form.starts().getOrDefault(access.slot(), 0) + access.at(form.iterations());
        code.aload(type == DType.F64 ? 0 : 1);
        code.loadConstant(at);
        var move = moves.get(access.move());
        if (move != null) code.iload(move).iadd();
    }
}
