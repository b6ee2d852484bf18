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
 * lane adds the rows that it visits to the totals of its columns. Where a warp visits a row, the
 * totals are in shared memory, if they fit, and those of a block's warps are combined there; else
 * they are in registers, or in the workspace for rows of several segments.
 */
final class RowColumns {
    /** Bytes of shared memory that a kernel can declare. */
    private static final int SHARED = 48 << 10;

    private enum Place {
        SHARED,
        REGISTERS,
        WORKSPACE
    }

    private final Kernel.Rows k;
    private final List<DType> types;
    private final List<DType> out;
    private final int inputs;
    private final RowLanes lanes;
    private final SourceLines code;
    private final Place place;
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
        place =
                lanes.segments() > 1
                        ? Place.WORKSPACE
                        : lanes.count() == 32 && sharedBytes() <= SHARED
                                ? Place.SHARED
                                : Place.REGISTERS;
        // a strip for each warp of a block
        int strips = place == Place.SHARED ? lanes.rows() : 1;
        chunks = ColumnChunks.afterNumbers(k.outer().size(), lanes.width(), strips);
    }

    private long sharedBytes() {
        return outputs().stream()
                .mapToLong(i -> type(i).bytes((long) lanes.rows() * elements()))
                .sum();
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
        return chunks.count() == 1 && place != Place.WORKSPACE;
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
            switch (place) {
                case REGISTERS -> {
                    code.add("Pack<%s, %d> total%d[%d];", t, RowLanes.GROUP, i, lanes.groups());
                    clear(i, lanes.groups(), "total%d[j] = zero;".formatted(i));
                }
                case SHARED -> {
                    code.add(
                            "__shared__ __align__(32) %s totals%d[%d];",
                            t, i, chunks.strips() * elements());
                    code.add("%s* const total%d = totals%d + strip * %d;", t, i, i, elements());
                    clear(
                            i,
                            lanes.groups(),
                            "store<%d>(total%d + (lane + j * %d) * %d, zero);"
                                    .formatted(RowLanes.GROUP, i, lanes.count(), RowLanes.GROUP));
                }
                case WORKSPACE -> {
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
    }

    /**
     * Writes {@code statement} for every group {@code j} of a lane, after a group of identities.
     */
    private void clear(int i, int groups, String statement) {
        var t = CudaSyntax.computed(type(i));
        code.add("{");
        code.add("Pack<%s, %d> zero;", t, RowLanes.GROUP);
        code.add("#pragma unroll");
        code.add("for (int e = 0; e < %d; e++) zero.at[e] = %s;", RowLanes.GROUP, identity(i));
        code.add("#pragma unroll");
        code.add("for (int j = 0; j < %d; j++) %s", groups, statement);
        code.close();
    }

    /** Before the elements of a group. */
    void before(int i) {
        if (place == Place.SHARED)
            code.add(
                    "Pack<%s, %d> sum%d = load<%d>(total%d + c);",
                    CudaSyntax.computed(type(i)), RowLanes.GROUP, i, RowLanes.GROUP, i);
    }

    /** Adds the value of element {@code x} of {@code row} to its column. */
    void visit(int i, String value) {
        var total =
                switch (place) {
                    case REGISTERS -> "total%d[j].at[e]".formatted(i);
                    case SHARED -> "sum%d.at[e]".formatted(i);
                    case WORKSPACE -> "total%d[x]".formatted(i);
                };
        code.add("%s = %s(%s, %s);", total, CudaSyntax.combine(combine(i)), total, value);
    }

    /** After the elements of a group. */
    void after(int i) {
        if (place == Place.SHARED) code.add("store<%d>(total%d + c, sum%d);", RowLanes.GROUP, i, i);
    }

    /** Writes the totals of a chunk, after its last row. */
    void write() {
        if (place == Place.SHARED) code.add("__syncthreads();");
        for (int i : outputs()) {
            var to = CudaSyntax.stored(whole() ? out.get(i) : type(i));
            var result = "((%s*)p%d)[chunk * %d + x]".formatted(to, inputs + i, lanes.width());
            switch (place) {
                case REGISTERS -> {
                    code.add("#pragma unroll");
                    code.open("for (int j = 0; j < %d; j++)", lanes.groups());
                    code.add("#pragma unroll");
                    code.open("for (int e = 0; e < %d; e++)", RowLanes.GROUP);
                    code.add(
                            "const num x = (lane + j * %d) * %d + e;",
                            lanes.count(), RowLanes.GROUP);
                    code.add(
                            "if (x < %d) %s = Down<%s>::of(total%d[j].at[e]);",
                            lanes.width(), result, to, i);
                    code.close();
                    code.close();
                }
                case SHARED -> {
                    code.open(
                            "for (u32 x = threadIdx.x; x < %d; x += %d)",
                            lanes.width(), lanes.threads());
                    code.add("%s sum = totals%d[x];", CudaSyntax.computed(type(i)), i);
                    code.add("#pragma unroll");
                    code.add(
                            "for (int s = 1; s < %d; s++) sum = %s(sum, totals%d[s * %d + x]);",
                            chunks.strips(), CudaSyntax.combine(combine(i)), i, elements());
                    code.add("%s = Down<%s>::of(sum);", result, to);
                    code.close();
                }
                case WORKSPACE -> {}
            }
        }
    }

    /** The elements of a row, rounded up to whole groups. */
    private int elements() {
        return lanes.groups() * lanes.count() * RowLanes.GROUP;
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
