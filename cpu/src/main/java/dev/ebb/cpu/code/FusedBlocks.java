package dev.ebb.cpu.code;

import dev.ebb.cpu.code.FusedForm.Access;
import dev.ebb.cpu.code.FusedForm.Sink;
import dev.ebb.cpu.tile.OperationList;
import dev.ebb.cpu.tile.Tile;
import dev.ebb.cpu.tile.TileStep;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Many expressions over the same positions as generated loops that process one block of positions
 * after the other. The block is as long as the available registers allow. Arguments and results are
 * consecutive, or one number for all positions. Within a block everything is read before anything
 * is written. The last result may stay in a register, for a fold to combine.
 */
public final class FusedBlocks {
    /** Blocks of more positions do not fit the first-level cache. */
    private static final int MOST = 256;

    /** In blocks of fewer positions, calls cost more than the loops save. */
    private static final int FEWEST = 64;

    /**
     * The location of an argument or result of a loop: the offset {@code start}, plus a stride for
     * the position, a stride for the positions already done in the run, and a stride within the
     * block.
     */
    private record Place(long start, long byPosition, long byDone, long byWithin) {
        long at(long position, int done, int within) {
            return start + position * byPosition + done * byDone + within * byWithin;
        }

        static Place memory(long width) {
            return new Place(0, width, 0, width);
        }

        /** A number that is the same for all positions. */
        static Place single() {
            return new Place(0, 0, 0, 0);
        }

        /** A register that holds one block. */
        static Place register(int start) {
            return new Place(start, 0, 0, 1);
        }

        /** The register that holds all blocks of a run. */
        static Place held() {
            return new Place(0, 0, 1, 1);
        }
    }

    private final FusedLoops.Entry entry;
    private final MemorySegment[][] memory;
    private final TileStep[][] steps;
    private final List<Buffer> results;
    private final Place[][] places;
    private final int saved;
    private final int length;
    private final long width;

    private FusedBlocks(
            FusedLoops.Entry entry,
            List<Buffer> arguments,
            List<Buffer> results,
            int held,
            int length) {
        this.entry = entry;
        this.results = results;
        this.length = length;
        var stages = entry.stages().stages();
        width = entry.stages().type().bytes(1);
        int base = held == 0 ? 0 : held + Tile.PADDING;
        int apart = length + Tile.PADDING;
        saved = base + entry.stages().registers() * apart;
        var all = new ArrayList<>(arguments);
        all.addAll(results);
        memory = new MemorySegment[stages.size()][];
        places = new Place[stages.size()][];
        steps = new TileStep[stages.size()][];
        for (int s = 0; s < steps.length; s++) {
            var stage = stages.get(s);
            int count = stage.places().size();
            memory[s] = new MemorySegment[count];
            places[s] = new Place[count];
            for (int k = 0; k < count; k++) {
                int place = stage.places().get(k);
                boolean isRegister = stage.isRegister(k);
                // a register needs no segment, but the loop expects one of the same kind
                memory[s][k] = all.get(isRegister ? 0 : place).segment();
                if (isRegister && place == all.size() && isSink(stage, k) && s == steps.length - 1)
                    places[s][k] = Place.held();
                else if (isRegister) places[s][k] = Place.register(base + place * apart);
                else if (place < arguments.size() && arguments.get(place).size() == 1)
                    places[s][k] = Place.single();
                else places[s][k] = Place.memory(width);
            }
            steps[s] = stage.steps(base, apart);
        }
    }

    /**
     * The blocks for {@code line}, if loops can compute it in the available registers.
     *
     * @param results the locations of the results; one more result is held if {@code held} is not 0
     * @param held the most numbers of the last result that are held
     * @param registers the number of elements for registers
     */
    public static Optional<FusedBlocks> of(
            OperationList line,
            List<Buffer> arguments,
            List<Buffer> results,
            int held,
            int registers,
            FusedLoops loops) {
        if (arguments.isEmpty() && results.isEmpty()) return Optional.empty();
        var accesses = new ArrayList<Optional<Access>>();
        for (var a : arguments)
            accesses.add(Optional.of(a.size() == 1 ? Access.FLOAT : Access.FLOATS));
        var sinks = new ArrayList<Sink>();
        for (int i = 0; i < results.size(); i++) sinks.add(Sink.FLOATS);
        if (held > 0) sinks.add(Sink.REGISTER);
        var stages = FusedStages.ofMany(line, accesses, sinks);
        if (stages.isEmpty()) return Optional.empty();
        int needed = stages.get().registers();
        long room = registers - (long) FEWEST * results.size();
        if (held > 0) room -= held + Tile.PADDING;
        if (room < 0) return Optional.empty();
        long each = needed == 0 ? MOST : Math.min(MOST, (room / needed - Tile.PADDING) / 16 * 16);
        if (each < FEWEST) return Optional.empty();
        return Optional.of(
                new FusedBlocks(loops.of(stages.get()), arguments, results, held, (int) each));
    }

    /** Whether place {@code k} is a result; only the last loop writes results to registers. */
    private static boolean isSink(FusedStages.Stage stage, int k) {
        return k >= stage.form().accesses().size();
    }

    public FusedLoops.Entry entry() {
        return entry;
    }

    /** Computes {@code n} positions from {@code from} on; held numbers start with the first one. */
    public void run(List<Fused> loops, Tile tile, long from, int n) {
        for (int done = 0; done < n; done += length) {
            int some = Math.min(length, n - done);
            for (int s = 0; s < steps.length; s++) {
                run(loops.get(s), s, tile, from + done, done, some);
                for (TileStep step : steps[s]) step.run(tile, from + done, some);
            }
        }
    }

    /**
     * Runs the loops on the first positions to warm them up, and restores the memory that they
     * write.
     */
    public void sample(List<Fused> loops, Tile tile) {
        for (int j = 0; j < results.size(); j++) copy(results.get(j), tile, j, true);
        for (int s = 0; s < steps.length; s++) run(loops.get(s), s, tile, 0, 0, FEWEST);
        for (int j = 0; j < results.size(); j++) copy(results.get(j), tile, j, false);
    }

    /** The number of positions of a sample. */
    public static int sampled() {
        return FEWEST;
    }

    private void copy(Buffer buffer, Tile tile, int number, boolean toTile) {
        boolean wide = entry.stages().type() == DType.F64;
        var there = wide ? MemorySegment.ofArray(tile.f64) : MemorySegment.ofArray(tile.f32);
        var numbers = there.asSlice((saved + (long) number * FEWEST) * width, FEWEST * width);
        var first = buffer.segment().asSlice(0, FEWEST * width);
        if (toTile) numbers.copyFrom(first);
        else first.copyFrom(numbers);
    }

    private void run(Fused loop, int s, Tile tile, long position, int done, int n) {
        var registers = entry.stages().registers(tile);
        var at = new long[memory[s].length];
        int whole = n / 8 * 8;
        if (whole > 0) {
            for (int k = 0; k < at.length; k++) at[k] = places[s][k].at(position, done, 0);
            loop.run(memory[s], at, registers, whole);
        }
        if (whole == n) return;
        for (int k = 0; k < at.length; k++) at[k] = places[s][k].at(position, done, whole);
        loop.tail(memory[s], at, registers, n - whole);
    }
}
