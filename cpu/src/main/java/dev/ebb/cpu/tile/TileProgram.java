package dev.ebb.cpu.tile;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.List;

/**
 * Evaluates the bodies of an elementwise kernel a tile at a time. Each operation is a prebuilt loop
 * from registers to a register. So a body needs no compilation of its own, and the loops, which all
 * bodies share, are compiled early. It computes exactly the bits of generated code; only the order
 * of memory accesses differs.
 *
 * <p>A run covers consecutive positions of the iteration shape. Every operand computes its elements
 * from the position, so a tile may span rows. Operations on constants alone run once, in {@link
 * #begin}. A register is reused when its value is dead; if a body needs more registers than a tile
 * has, they are shorter.
 */
public final class TileProgram {

    /** The source of an argument's elements. */
    public sealed interface Source {
        DType dtype();

        TileForm.Arg form();

        /** An operand in memory. */
        record Memory(Buffer buffer, View view) implements Source {
            @Override
            public DType dtype() {
                return buffer.dtype();
            }

            @Override
            public TileForm.Arg form() {
                return new TileForm.Arg.Read(buffer.dtype(), view);
            }
        }

        /** A register that the caller fills before each run. */
        record Given(DType dtype) implements Source {
            @Override
            public TileForm.Arg form() {
                return new TileForm.Arg.Given(dtype);
            }
        }
    }

    private final OperationList line;
    private final Registers registers;
    private final List<Source> sources;
    private final Shape shape;
    private final TileStep[] before;
    private final TileStep[] steps;

    /** The starts of the results' registers. */
    private final int[] results;

    public TileProgram(List<Scalar> bodies, Shape shape, List<? extends Source> sources) {
        this(bodies, shape, sources, false);
    }

    /**
     * @param afterNumbers whether a tile holds the numbers of rows before the registers
     */
    public TileProgram(
            List<Scalar> bodies,
            Shape shape,
            List<? extends Source> sources,
            boolean afterNumbers) {
        this.sources = List.copyOf(sources);
        this.shape = shape;
        var args = sources.stream().map(Source::form).toList();
        var form = TileForm.of(bodies, shape, args, afterNumbers);
        line = form.line();
        registers = form.registers();
        var first = new ArrayList<TileStep>();
        var each = new ArrayList<TileStep>();
        for (int i = 0; i < line.operations().size(); i++) {
            if (!form.isGiven(i)) (form.steady().get(i) ? first : each).add(step(i));
        }
        before = first.toArray(TileStep[]::new);
        steps = each.toArray(TileStep[]::new);
        results = line.results().stream().mapToInt(registers::start).toArray();
    }

    private TileStep step(int i) {
        var operation = line.operations().get(i);
        int o = registers.start(i);
        var from = operation.from();
        int a = from.isEmpty() ? 0 : registers.start(from.get(0));
        int b = from.size() < 2 ? 0 : registers.start(from.get(1));
        int c = from.size() < 3 ? 0 : registers.start(from.get(2));
        var type =
                from.isEmpty() ? operation.type() : line.operations().get(from.getFirst()).type();
        return switch (operation.form()) {
            case Scalar.Arg(int at) -> {
                var memory = (Source.Memory) sources.get(at);
                yield new TileLoad(memory.buffer(), memory.view(), shape, o);
            }
            case Scalar.Lit(var of, double value) -> GeneratedValues.constant(of, value, o);
            case Scalar.Index(int axis) -> GeneratedValues.index(shape, axis, o);
            case Scalar.Position _ -> GeneratedValues.position(o);
            case Scalar.Draw _ -> GeneratedValues.draw(a, b, o);
            case Scalar.Cast(var to, _) -> Casts.step(type, to, a, o);
            case Scalar.Un(var fn, _) ->
                    switch (type) {
                        case F32 -> F32Steps.unary(fn, a, o);
                        case F64 -> F64Steps.unary(fn, a, o);
                        case I32, BOOL -> I32Steps.unary(fn, type == DType.BOOL, a, o);
                        case I64 -> I64Steps.unary(fn, a, o);
                        case BF16, F16, U8, BIT -> throw notComputed(type);
                    };
            case Scalar.Bin(var fn, _, _) ->
                    switch (type) {
                        case F32 -> F32Steps.binary(fn, a, b, o);
                        case F64 -> F64Steps.binary(fn, a, b, o);
                        case I32, BOOL -> I32Steps.binary(fn, a, b, o);
                        case I64 -> I64Steps.binary(fn, a, b, o);
                        case BF16, F16, U8, BIT -> throw notComputed(type);
                    };
            case Scalar.Select _ ->
                    switch (operation.type()) {
                        case F32 -> F32Steps.select(a, b, c, o);
                        case F64 -> F64Steps.select(a, b, c, o);
                        case I32, BOOL -> I32Steps.select(a, b, c, o);
                        case I64 -> I64Steps.select(a, b, c, o);
                        case BF16, F16, U8, BIT -> throw notComputed(operation.type());
                    };
        };
    }

    private static IllegalArgumentException notComputed(DType type) {
        return new IllegalArgumentException(
                "no register is of " + type + "; cast to " + type.compute());
    }

    /** The operations of the program, in order. */
    public OperationList line() {
        return line;
    }

    /** The most elements of one run: a multiple of eight. */
    public int length() {
        return registers.length();
    }

    /**
     * The start of the register of argument {@code arg}, which the caller fills; -1 if no body
     * reads it.
     */
    public int given(int arg) {
        for (int i = 0; i < line.operations().size(); i++) {
            if (line.operations().get(i).form() instanceof Scalar.Arg(int a) && a == arg) {
                return registers.start(i);
            }
        }
        return -1;
    }

    /** The start of the register of body {@code j}. */
    public int result(int j) {
        return results[j];
    }

    /**
     * Computes the values that are the same for every run on this tile, for runs of at most {@code
     * n} elements.
     */
    public void begin(Tile tile, int n) {
        for (TileStep step : before) step.run(tile, 0, n);
    }

    /**
     * Computes the bodies at {@code n} positions, at most {@link #length}, from {@code position}
     * on.
     */
    public void run(Tile tile, long position, int n) {
        for (TileStep step : steps) step.run(tile, position, n);
    }
}
