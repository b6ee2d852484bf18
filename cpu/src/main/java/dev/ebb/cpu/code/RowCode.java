package dev.ebb.cpu.code;

import static dev.ebb.cpu.code.FusedCode.FLOATS;
import static dev.ebb.cpu.code.FusedCode.MASK;
import static dev.ebb.cpu.code.FusedCode.SPECIES;
import static dev.ebb.cpu.code.FusedCode.VECTOR;

import static java.lang.constant.ConstantDescs.CD_float;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;

import dev.ebb.cpu.tile.Tile;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.MethodTypeDesc;

/**
 * Writes the bytecode of a {@link FusedRows}: a {@link FusedCode} within a loop over rows. A fold
 * has an accumulator for each eight of its 32 lanes, so that additions do not wait for each other.
 */
final class RowCode {
    private static final int VECTORS = Tile.FOLD_LANES / 8;

    private final RowForm form;
    private final CodeBuilder code;
    private final FusedCode body;
    private final boolean folds;
    private final int row;
    private final int[] lanes = new int[VECTORS];

    RowCode(RowForm form, CodeBuilder code, boolean masked) {
        this.form = form;
        this.code = code;
        body = new FusedCode(form.form(), code, masked);
        folds = form.use() != RowForm.Use.MAP;
        row = code.allocateLocal(TypeKind.INT);
        for (int j = 0; j < VECTORS; j++) lanes[j] = code.allocateLocal(TypeKind.REFERENCE);
    }

    void rows() {
        body.places();
        code.iload(4).iconst_4().imul().istore(body.end);
        eachRow(
                () -> {
                    code.iconst_0().istore(body.index);
                    if (folds) for (int j = 0; j < VECTORS; j++) identity(j);
                    var top = code.newLabel();
                    var done = code.newLabel();
                    code.labelBinding(top).iload(body.index).iload(body.end).if_icmpge(done);
                    for (int j = 0; j < (folds ? VECTORS : 1); j++) {
                        if (folds) combine(j);
                        else body.body();
                        code.iinc(body.index, 32);
                    }
                    code.goto_(top).labelBinding(done);
                    if (folds) finish();
                });
    }

    /** Stores all lanes if a tail follows, otherwise eight combined ones. */
    private void finish() {
        var all = code.newLabel();
        var done = code.newLabel();
        code.aload(5).loadConstant(body.starts.length - 1).laload().l2i().loadConstant(8);
        code.if_icmpne(all);
        combined(0, 1);
        combined(2, 3);
        combined(0, 2);
        keep(0);
        code.goto_(done).labelBinding(all);
        for (int j = 0; j < VECTORS; j++) keep(j);
        code.labelBinding(done);
    }

    private void combined(int j, int with) {
        code.aload(lanes[j]).aload(lanes[with]);
        apply(j);
    }

    void tails() {
        body.mask();
        body.places();
        eachRow(
                () -> {
                    if (!folds) {
                        body.body();
                        return;
                    }
                    code.getstatic(FLOATS, "SPECIES_256", SPECIES);
                    lane(0);
                    code.invokestatic(
                            FLOATS,
                            "fromArray",
                            MethodTypeDesc.of(FLOATS, SPECIES, CD_float.arrayType(), CD_int));
                    code.astore(lanes[0]);
                    code.aload(lanes[0]).astore(lanes[1]);
                    combine(0);
                    code.aload(lanes[1]).aload(lanes[0]).aload(body.mask);
                    code.invokevirtual(FLOATS, "blend", MethodTypeDesc.of(FLOATS, VECTOR, MASK));
                    code.astore(lanes[0]);
                    keep(0);
                });
    }

    private void eachRow(Runnable one) {
        var top = code.newLabel();
        var done = code.newLabel();
        code.iconst_0().istore(row);
        code.labelBinding(top).iload(row).iload(6).if_icmpge(done);
        body.steady();
        one.run();
        for (int i = 0; i < body.starts.length; i++) {
            code.lload(body.starts[i]).aload(5).loadConstant(i).laload().ladd();
            code.lstore(body.starts[i]);
        }
        code.iinc(row, 1).goto_(top);
        code.labelBinding(done).return_();
    }

    private void identity(int j) {
        code.getstatic(FLOATS, "SPECIES_256", SPECIES);
        code.loadConstant(
                switch (form.use()) {
                    case MAP, SUM -> 0f;
                    case PROD -> 1f;
                    case MAX -> Float.NEGATIVE_INFINITY;
                    case MIN -> Float.POSITIVE_INFINITY;
                });
        code.invokestatic(FLOATS, "broadcast", MethodTypeDesc.of(FLOATS, SPECIES, CD_float));
        code.astore(lanes[j]);
    }

    /** Calls a method on the value just computed, whose class the JIT knows without a profile. */
    private void combine(int j) {
        body.values();
        code.aload(body.values[form.form().results().getFirst()]).aload(lanes[j]);
        apply(j);
    }

    /** Combines two vectors into some lanes. */
    private void apply(int j) {
        code.invokevirtual(
                FLOATS,
                switch (form.use()) {
                    case MAP, SUM -> "add";
                    case PROD -> "mul";
                    case MAX -> "max";
                    case MIN -> "min";
                },
                MethodTypeDesc.of(FLOATS, VECTOR));
        code.astore(lanes[j]);
    }

    /** Pushes the location of eight of the lanes. */
    private void lane(int j) {
        code.aload(3).lload(body.starts[body.starts.length - 1]).l2i().loadConstant(8 * j).iadd();
    }

    private void keep(int j) {
        code.aload(lanes[j]);
        lane(j);
        code.invokevirtual(
                FLOATS, "intoArray", MethodTypeDesc.of(CD_void, CD_float.arrayType(), CD_int));
    }
}
