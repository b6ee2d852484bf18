package dev.ebb.cpu.code;

import dev.ebb.cpu.code.FusedForm.Access;
import dev.ebb.cpu.code.FusedForm.Function;
import dev.ebb.cpu.code.FusedForm.Sink;
import dev.ebb.cpu.tile.F32Steps;
import dev.ebb.cpu.tile.F64Steps;
import dev.ebb.cpu.tile.KernelScratch;
import dev.ebb.cpu.tile.OperationList;
import dev.ebb.cpu.tile.ScratchArray;
import dev.ebb.cpu.tile.Tile;
import dev.ebb.cpu.tile.TileStep;
import dev.ebb.ir.DType;
import dev.ebb.ir.Fn1;
import dev.ebb.ir.Scalar;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A body as generated loops with prebuilt functions between them. C2 limits the nodes that it
 * creates by inlining; beyond the limit vectors are boxed, and a single exp or tanh takes a third
 * of it. So these functions run as prebuilt steps over a tile's registers in the first-level cache,
 * and only the code between them is generated: the light operations and all memory accesses, which
 * are most of a body's cost besides its functions.
 *
 * <p>Only the last loop writes to memory: an output may overwrite an argument that earlier loops
 * read.
 */
public record FusedStages(List<Stage> stages) {

    /** One loop, and the functions that run after it. */
    public record Stage(FusedForm form, List<Integer> places, List<Heavy> after) {
        public Stage {
            places = List.copyOf(places);
            after = List.copyOf(after);
        }

        /** Whether a place, of those that are read and then those written, is a register. */
        boolean isRegister(int place) {
            int reads = form.accesses().size();
            return place < reads
                    ? form.accesses().get(place) == Access.REGISTER
                    : form.sinks().get(place - reads) == Sink.REGISTER;
        }

        /** The functions as steps on the registers of a tile, from {@code base} on. */
        public TileStep[] steps(int base) {
            return steps(base, REGISTER);
        }

        /** The same with registers {@code apart} elements apart. */
        TileStep[] steps(int base, int apart) {
            return after.stream()
                    .map(
                            h -> {
                                int from = base + h.from * apart;
                                int to = base + h.to * apart;
                                return form.type() == DType.F64
                                        ? F64Steps.unary(h.function, from, to)
                                        : F32Steps.unary(h.function, from, to);
                            })
                    .toArray(TileStep[]::new);
        }
    }

    /** The elements from one register of a tile to the next. */
    public static final int REGISTER = Tile.REGISTER;

    /** A function from one register to another. */
    record Heavy(Fn1 function, int from, int to) {}

    private static final int MOST_REGISTERS = 24;
    private static final int MOST_LIGHT = 40;

    /** The most light operations of one loop if they are split into several loops. */
    private static final int MOST_LIGHT_A_LOOP = 32;

    private static final int MOST_REGISTERS_CUT = 96;

    public FusedStages {
        stages = List.copyOf(stages);
    }

    /** The type of the numbers. */
    public DType type() {
        return stages.getFirst().form().type();
    }

    /** The array of a tile that holds the registers. */
    Object registers(Tile tile) {
        return type() == DType.F64 ? tile.f64 : tile.f32;
    }

    /** The tile memory that the stages need. */
    KernelScratch scratch() {
        return KernelScratch.NOTHING.and(
                type() == DType.F64 ? ScratchArray.F64 : ScratchArray.F32, registerElements());
    }

    public boolean usesRegisters() {
        return stages.size() > 1;
    }

    /** The elements of a tile that the registers take. */
    public int registerElements() {
        return registers() * REGISTER;
    }

    /** The number of registers. */
    int registers() {
        int registers = 0;
        for (Stage stage : stages) {
            var accesses = stage.form().accesses();
            for (int k = 0; k < accesses.size(); k++)
                if (accesses.get(k) == Access.REGISTER)
                    registers = Math.max(registers, stage.places().get(k) + 1);
            for (Heavy heavy : stage.after())
                registers = Math.max(registers, Math.max(heavy.from(), heavy.to()) + 1);
        }
        return registers;
    }

    /** The stages of {@code line}; empty if some operation of it cannot be generated. */
    public static Optional<FusedStages> of(
            OperationList line, List<Optional<Access>> accesses, List<Sink> outputs) {
        return of(line, accesses, outputs, false);
    }

    /**
     * The same for any number of light operations: if there are too many for one loop, they are
     * split into several.
     */
    static Optional<FusedStages> ofMany(
            OperationList line, List<Optional<Access>> accesses, List<Sink> outputs) {
        return of(line, accesses, outputs, true);
    }

    private static Optional<FusedStages> of(
            OperationList line, List<Optional<Access>> accesses, List<Sink> outputs, boolean cut) {
        var functions = new ArrayList<Function>();
        var type = FusedForm.type(line);
        if (type.isEmpty()) return Optional.empty();
        for (var operation : line.operations()) {
            var function = FusedForm.function(operation, line, type.get());
            if (function.isEmpty()) return Optional.empty();
            if (operation.form() instanceof Scalar.Arg(int a) && accesses.get(a).isEmpty()) {
                return Optional.empty();
            }
            functions.add(function.get());
        }
        var maker = new Maker(type.get(), line, functions, accesses, outputs, cut);
        return maker.isPossible() ? Optional.of(new FusedStages(maker.stages())) : Optional.empty();
    }

    private static final class Maker {
        private final DType type;
        private final OperationList line;
        private final List<Function> functions;
        private final List<Optional<Access>> accesses;
        private final List<Sink> outputs;
        private final boolean cut;
        private final int[] stage;
        private final int last;

        /** The register of each operation that a later loop or a heavy function reads. */
        private final Map<Integer, Integer> registers = new HashMap<>();

        Maker(
                DType type,
                OperationList line,
                List<Function> functions,
                List<Optional<Access>> accesses,
                List<Sink> outputs,
                boolean cut) {
            this.cut = cut;
            this.type = type;
            this.line = line;
            this.functions = functions;
            this.accesses = accesses;
            this.outputs = outputs;
            stage = new int[functions.size()];
            int most = 0;
            var light = new HashMap<Integer, Integer>();
            for (int i = 0; i < stage.length; i++) {
                for (int j : line.operations().get(i).from())
                    stage[i] = Math.max(stage[i], stage[j]);
                if (functions.get(i).isHeavy()) stage[i]++;
                else if (cut && !isFree(i)) stage[i] = withRoom(stage[i], light);
                most = Math.max(most, stage[i]);
            }
            last = most;
            for (int i = 0; i < stage.length; i++) {
                for (int j : line.operations().get(i).from()) {
                    if (functions.get(i).isHeavy() || (stage[j] < stage[i] && !isFree(j))) keep(j);
                }
                if (functions.get(i).isHeavy()) keep(i);
            }
            for (int j : line.results()) if (stage[j] < last && !isFree(j)) keep(j);
        }

        /** The first loop from {@code from} on that can take one more operation. */
        private static int withRoom(int from, Map<Integer, Integer> light) {
            int at = from;
            while (light.getOrDefault(at, 0) >= MOST_LIGHT_A_LOOP) at++;
            light.merge(at, 1, Integer::sum);
            return at;
        }

        private void keep(int i) {
            registers.putIfAbsent(i, registers.size());
        }

        /** Whether an operation is free to repeat in any loop. */
        private boolean isFree(int i) {
            return functions.get(i) == Function.ARGUMENT || functions.get(i) == Function.CONSTANT;
        }

        boolean isPossible() {
            boolean truths = registers.keySet().stream().anyMatch(this::isTruth);
            for (int j = 0; j < outputs.size(); j++)
                truths |= outputs.get(j) != Sink.BITS && isTruth(line.results().get(j));
            if (cut) return !truths && registers.size() <= MOST_REGISTERS_CUT;
            long light = functions.stream().filter(f -> !f.isHeavy()).count();
            return !truths
                    && registers.size() <= MOST_REGISTERS
                    && light <= MOST_LIGHT * (last + 1L);
        }

        /** Whether an operation's result is a boolean, which no register and no number can hold. */
        private boolean isTruth(int i) {
            return line.operations().get(i).type() != type;
        }

        List<Stage> stages() {
            var stages = new ArrayList<Stage>();
            for (int s = 0; s <= last; s++) stages.add(new Loop(s).stage());
            return stages;
        }

        /** One loop while it is being built. */
        private final class Loop {
            private final int number;
            private final List<FusedForm.Operation> operations = new ArrayList<>();
            private final List<Access> reads = new ArrayList<>();
            private final List<Integer> places = new ArrayList<>();
            private final Map<Integer, Integer> placed = new HashMap<>();

            Loop(int number) {
                this.number = number;
            }

            Stage stage() {
                var results = new ArrayList<Integer>();
                var sinks = new ArrayList<Sink>();
                var targets = new ArrayList<Integer>();
                for (int i = 0; i < stage.length; i++) {
                    if (!registers.containsKey(i)
                            || stage[i] != number
                            || functions.get(i).isHeavy()) continue;
                    results.add(place(i));
                    sinks.add(Sink.REGISTER);
                    targets.add(registers.getOrDefault(i, 0));
                }
                for (int j = 0; j < outputs.size() && number == last; j++) {
                    results.add(place(line.results().get(j)));
                    sinks.add(outputs.get(j));
                    targets.add(accesses.size() + j);
                }
                places.addAll(targets);
                return new Stage(
                        new FusedForm(type, operations, reads, results, sinks), places, after());
            }

            private List<Heavy> after() {
                var after = new ArrayList<Heavy>();
                for (int i = 0; i < stage.length; i++) {
                    if (!functions.get(i).isHeavy() || stage[i] != number + 1) continue;
                    int from = line.operations().get(i).from().getFirst();
                    after.add(
                            new Heavy(
                                    Fn1.valueOf(functions.get(i).name()),
                                    registers.getOrDefault(from, 0),
                                    registers.getOrDefault(i, 0)));
                }
                return after;
            }

            private int place(int i) {
                var before = placed.get(i);
                if (before != null) return before;
                int at =
                        isFree(i)
                                ? free(i)
                                : isKept(i)
                                        ? argument(Access.REGISTER, registers.getOrDefault(i, 0))
                                        : made(i);
                placed.put(i, at);
                return at;
            }

            private boolean isKept(int i) {
                return functions.get(i).isHeavy() || stage[i] < number;
            }

            private int free(int i) {
                return switch (line.operations().get(i).form()) {
                    case Scalar.Arg(int a) -> argument(accesses.get(a).orElseThrow(), a);
                    case Scalar.Lit(_, double x) -> add(Function.CONSTANT, x, List.of());
                    default ->
                            throw new IllegalStateException("neither an argument nor a constant");
                };
            }

            private int argument(Access access, int place) {
                reads.add(access);
                places.add(place);
                return add(Function.ARGUMENT, reads.size() - 1, List.of());
            }

            private int made(int i) {
                var from = line.operations().get(i).from().stream().map(this::place).toList();
                return add(functions.get(i), 0, from);
            }

            private int add(Function function, double value, List<Integer> from) {
                operations.add(new FusedForm.Operation(function, value, from));
                return operations.size() - 1;
            }
        }
    }
}
