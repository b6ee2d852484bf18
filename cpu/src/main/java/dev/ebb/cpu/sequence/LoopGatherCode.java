package dev.ebb.cpu.sequence;

import static dev.ebb.cpu.code.GeneratedClass.desc;

import static java.lang.constant.ConstantDescs.CD_double;
import static java.lang.constant.ConstantDescs.CD_float;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;

import dev.ebb.cpu.code.ClassData;
import dev.ebb.cpu.tile.RunLoads;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.math.Checks;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Emits the loop of one gather of a {@link MergedLoopBody}. Its locals are the registers of f64 and
 * f32, the offsets of data and index, the first register, and the number of iterations.
 */
record LoopGatherCode(CodeBuilder code, ClassData objects) {
    static final MethodTypeDesc TYPE =
            MethodTypeDesc.of(
                    CD_void,
                    CD_double.arrayType(),
                    CD_float.arrayType(),
                    CD_long,
                    CD_long,
                    CD_int,
                    CD_int);

    private static final int DATA = 2;
    private static final int INDEX = 4;
    private static final int TO = 6;
    private static final int ROUNDS = 7;
    private static final ClassDesc SEGMENT = desc(MemorySegment.class);
    private static final ClassDesc READS = desc(RunLoads.class);

    void write(MergedLoop.GatheredRows pick, int iterations) {
        var next = code.newLabel();
        var end = code.newLabel();
        code.labelBinding(next).iload(ROUNDS).ifle(end);
        int from = start(pick);
        var rows = pick.sliced().outputs().getFirst();
        var data = pick.sliced().inputs().get(0);
        var index = pick.sliced().inputs().get(1);
        for (int p = 0; p < rows.size(); p++) {
            long o = p / rows.inner();
            int register = Math.toIntExact(o * iterations * rows.inner() + p % rows.inner());
            copy(pick.work().inputs().get(0), from, data.touched().get(p), register);
        }
        step(DATA, data.strides().getLast());
        step(INDEX, index.strides().getLast());
        code.iload(TO).loadConstant((int) rows.inner()).iadd().istore(TO);
        code.iinc(ROUNDS, -1).goto_(next);
        code.labelBinding(end).return_();
    }

    private void step(int local, long by) {
        code.lload(local).loadConstant(by).ladd().lstore(local);
    }

    /** The index of the first element of an iteration's data, in a new local. */
    private int start(MergedLoop.GatheredRows pick) {
        var kernel = (Kernel.Gather) pick.sliced().kernel();
        var by = pick.work().inputs().get(1);
        boolean wide = by.dtype() == DType.I64;
        code.lload(DATA);
        objects.push(code, by.segment(), MemorySegment.class);
        var layout = desc(wide ? ValueLayout.OfLong.class : ValueLayout.OfInt.class);
        code.getstatic(READS, wide ? "LONG" : "INT", layout);
        code.lload(INDEX).loadConstant(wide ? 8L : 4L).lmul();
        code.invokeinterface(
                SEGMENT, "get", MethodTypeDesc.of(wide ? CD_long : CD_int, layout, CD_long));
        if (!wide) code.i2l();
        code.loadConstant(kernel.bound());
        code.invokestatic(desc(Checks.class), "index", MethodTypeDesc.of(CD_long, CD_long, CD_int));
        code.loadConstant(kernel.stride()).lmul().ladd();
        int local = code.allocateLocal(TypeKind.LONG);
        code.lstore(local);
        return local;
    }

    private void copy(Buffer data, int from, long offset, int register) {
        boolean wide = data.dtype() == DType.F64;
        code.aload(wide ? 0 : 1).iload(TO).loadConstant(register).iadd();
        objects.push(code, data.segment(), MemorySegment.class);
        var layout = desc(wide ? ValueLayout.OfDouble.class : ValueLayout.OfFloat.class);
        code.getstatic(READS, wide ? "DOUBLE" : "FLOAT", layout);
        code.lload(from).loadConstant(offset).ladd().loadConstant(wide ? 8L : 4L).lmul();
        code.invokeinterface(
                SEGMENT, "get", MethodTypeDesc.of(wide ? CD_double : CD_float, layout, CD_long));
        if (wide) code.dastore();
        else code.fastore();
    }
}
