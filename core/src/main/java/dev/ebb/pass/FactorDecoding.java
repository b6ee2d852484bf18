package dev.ebb.pass;

import dev.ebb.ir.DType;
import dev.ebb.ir.DecodingContract;
import dev.ebb.ir.FusionLimits;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Table;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Makes a map part of the products that read its result as their right factor, where the map reads
 * at most three quarters of the bytes that it would write: a quantised matrix is then never stored
 * in its decoded form. The map is evaluated once for each product, while the product packs its
 * factor, and gives the same bits.
 */
record FactorDecoding(List<FusionCandidate> pieces, Set<Value> results, FusionLimits limits) {
    void fuse() {
        if (limits.decoding() == 0) return;
        Table<Value, Set<FusionCandidate>> readers = FusionCandidate.readers(pieces);
        for (var piece : pieces) {
            if (!(piece.kernel instanceof Kernel.Map map) || !isWidening(piece, map)) continue;
            var all = readers.find(piece.outputs.getFirst());
            if (all.isEmpty() || !all.get().stream().allMatch(r -> mayDecode(r, piece))) continue;
            for (var reader : all.get()) decode(reader, piece, map);
            piece.gone = true;
        }
    }

    private boolean isWidening(FusionCandidate piece, Kernel.Map map) {
        var out = piece.outputs.getFirst();
        if (map.bodies().size() != 1 || results.contains(out)) return false;
        if (!piece.node.op().traits().isEmpty() || !isMultiplied(out)) return false;
        if (map.bodies().getFirst().cost() > limits.decoding()) return false;
        long read = new HashSet<>(piece.inputs).stream().mapToLong(v -> v.type().bytes()).sum();
        return 4 * read <= 3 * out.type().bytes();
    }

    /** Whether products with factors of this type are computed in F32. */
    private static boolean isMultiplied(Value v) {
        return v.type().dtype().isFloat() && v.type().dtype().compute() == DType.F32;
    }

    /**
     * Whether {@code reader} is a product that reads this value as its right factor, in contiguous
     * runs.
     */
    private boolean mayDecode(FusionCandidate reader, FusionCandidate factor) {
        if (!(reader.kernel instanceof Kernel.Contract c)) return false;
        var value = factor.outputs.getFirst();
        boolean once = reader.inputs.stream().filter(value::equals).count() == 1;
        if (!once || !reader.inputs.get(1).equals(value) || !isMultiplied(reader.inputs.getFirst()))
            return false;
        int rank = c.batch().rank();
        boolean inRuns = c.b().stride(rank) == 1 || c.b().stride(rank + 1) == 1;
        return inRuns && reader.inputs.size() - 1 + factor.inputs.size() <= limits.operands();
    }

    private static void decode(FusionCandidate reader, FusionCandidate from, Kernel.Map map) {
        var stored =
                OperandViews.asStored(
                        map.bodies().getFirst(), from.outputs.getFirst().type().dtype());
        var factor = Kernel.Map.of(map.shape(), map.operands(), stored);
        var inputs = new ArrayList<>(List.of(reader.inputs.getFirst()));
        inputs.addAll(from.inputs);
        inputs.addAll(reader.inputs.subList(2, reader.inputs.size()));
        reader.kernel = new DecodingContract(factor, (Kernel.Contract) reader.kernel);
        reader.inputs = inputs;
        reader.name = from.name + "+" + reader.name;
        reader.labels.addAll(from.labels);
    }
}
