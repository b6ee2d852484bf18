package dev.ebb.cuda.text;

import dev.ebb.cuda.recipe.Action;
import dev.ebb.cuda.recipe.Operand;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Kernel.Combine;
import dev.ebb.ir.RowParts;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The results over columns of a {@code Rows} kernel, in the order of {@link ColumnChunks}: every
 * lane folds its columns of the rows that it visits; the totals of a block's warps are combined in
 * shared memory where each warp visits rows of its own.
 */
final class RowColumns {
    private final Kernel.Rows k;
    private final List<DType> types;
    private final List<DType> out;
    private final int inputs;
    private final RowLanes lanes;
    private final SourceLines code;
    private final ColumnChunks chunks;

    /**
     * @param types the types of operands and numbers
     */
    RowColumns(
            Kernel.Rows k, List<DType> types, List<DType> out, RowLanes lanes, SourceLines code) {
        this.k = k;
        this.types = types;
        this.out = out;
        inputs = k.operands().size();
        this.lanes = lanes;
        this.code = code;
        chunks = ColumnChunks.afterNumbers(k.outer().size(), lanes);
    }

    ColumnChunks chunks() {
        return chunks;
    }

    /** The outputs that are results over columns. */
    List<Integer> outputs() {
        return IntStream.range(0, out.size())
                .filter(i -> k.results().get(i) instanceof RowParts.Columns)
                .boxed()
                .toList();
    }

    /** Whether one chunk has all rows, and its totals are the results. */
    boolean whole() {
        return chunks.count() == 1 && isInRegisters();
    }

    /** Whether the totals of a lane are in registers. */
    private boolean isInRegisters() {
        return lanes.segments() == 1;
    }

    private Combine combine(int output) {
        return ((RowParts.Columns) k.results().get(output)).combine();
    }

    /** The type in which the columns of a result are folded. */
    private DType type(int output) {
        return ((RowParts.Columns) k.results().get(output)).body().type(types);
    }

    private String identity(int output) {
        return CudaSyntax.identity(combine(output), type(output));
    }

    /** Declares the totals of the lanes that visit rows together. */
    void declare() {
        for (int i : outputs()) {
            var t = CudaSyntax.computed(type(i));
            if (isInRegisters()) {
                code.add("%s total%d[%d][%d];", t, i, lanes.groups(), RowLanes.GROUP);
                code.add("#pragma unroll");
                code.add("for (int j = 0; j < %d; j++)", lanes.groups());
                code.add("#pragma unroll");
                code.add(
                        "    for (int e = 0; e < %d; e++) total%d[j][e] = %s;",
                        RowLanes.GROUP, i, identity(i));
            } else {
                code.add(
                        "%s* const total%d = (%s*)p%d + chunk * %d;",
                        t, i, t, inputs + i, lanes.width());
                code.add(
                        "for (num c = lane * %d; c < %d; c += %d)",
                        RowLanes.GROUP, lanes.width(), lanes.count() * RowLanes.GROUP);
                code.add(
                        "    for (int e = 0; e < %d; e++) if (c + e < %d) total%d[c + e] = %s;",
                        RowLanes.GROUP, lanes.width(), i, identity(i));
            }
        }
    }

    /** Adds the value of element {@code x} of {@code row} to its column. */
    void visit(int output, String value) {
        var total = "total" + output + (isInRegisters() ? "[j][e]" : "[x]");
        code.add("%s = %s(%s, %s);", total, CudaSyntax.combine(combine(output)), total, value);
    }

    /** Writes the totals of a chunk, after its last row. */
    void write() {
        if (!isInRegisters()) return;
        boolean shared = lanes.warpsApart() > 1;
        if (shared) {
            int widest = outputs().stream().mapToInt(i -> (int) type(i).bytes(1)).max().orElse(0);
            code.add(
                    "__shared__ __align__(16) unsigned char totals[%d];",
                    lanes.warpsApart() * elements() * Math.max(widest, Float.BYTES));
        }
        for (int i : outputs()) {
            var to = CudaSyntax.stored(whole() ? out.get(i) : type(i));
            if (shared) writeJoined(i, to);
            else
                eachTotal(
                        "if (x < %d) ((%s*)p%d)[chunk * %d + x] = Down<%s>::of(total%d[j][e]);"
                                .formatted(lanes.width(), to, inputs + i, lanes.width(), to, i));
        }
    }

    /** The elements of a row, rounded up to whole groups. */
    private int elements() {
        return lanes.groups() * lanes.count() * RowLanes.GROUP;
    }

    /** Combines the totals of the warps, strip by strip, and writes them. */
    private void writeJoined(int i, String to) {
        var t = CudaSyntax.computed(type(i));
        code.add("{");
        code.add("%s* const all = (%s*)totals;", t, t);
        code.add("__syncthreads();");
        eachTotal("all[strip * %d + x] = total%d[j][e];".formatted(elements(), i));
        code.add("__syncthreads();");
        code.open("for (u32 x = threadIdx.x; x < %d; x += %d)", lanes.width(), lanes.threads());
        code.add("%s total = all[x];", t);
        code.add("#pragma unroll");
        code.add(
                "for (int s = 1; s < %d; s++) total = %s(total, all[s * %d + x]);",
                lanes.warpsApart(), CudaSyntax.combine(combine(i)), elements());
        code.add(
                "((%s*)p%d)[chunk * %d + x] = Down<%s>::of(total);",
                to, inputs + i, lanes.width(), to);
        code.close();
        code.close();
    }

    /** Writes a loop over the columns {@code x} of a lane. */
    private void eachTotal(String statement) {
        code.add("#pragma unroll");
        code.open("for (int j = 0; j < %d; j++)", lanes.groups());
        code.add("#pragma unroll");
        code.open("for (int e = 0; e < %d; e++)", RowLanes.GROUP);
        code.add("const num x = (lane + j * %d) * %d + e;", lanes.count(), RowLanes.GROUP);
        code.add(statement);
        code.close();
        code.close();
    }

    /** Where the totals of all chunks are in the workspace, and what is made of them. */
    List<ColumnChunks.Totals> totals() {
        var totals = new ArrayList<ColumnChunks.Totals>();
        long bytes = 0;
        for (int i : outputs()) {
            totals.add(
                    new ColumnChunks.Totals(
                            combine(i),
                            type(i),
                            out.get(i),
                            new Operand.Work(bytes),
                            new Operand.Out(i)));
            bytes += aligned(i);
        }
        return totals;
    }

    /** The bytes of the workspace that has the totals of all chunks. */
    long workspaceBytes() {
        return whole() ? 0 : outputs().stream().mapToLong(this::aligned).sum();
    }

    private long aligned(int i) {
        return (type(i).bytes(chunks.count() * lanes.width()) + 15) / 16 * 16;
    }

    /** The launches that combine the totals of all chunks. */
    List<Action> joins() {
        return whole() ? List.of() : chunks.join(totals());
    }
}
