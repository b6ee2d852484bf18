package dev.ebb.cpu.tile;

import dev.ebb.ir.DType;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.List;

/**
 * The operations and registers of a {@link TileProgram}, before the addresses of its operands are
 * known.
 *
 * @param steady the operations that have the same value at every position
 */
public record TileForm(
        OperationList line, List<Boolean> steady, Registers registers, List<Arg> args) {

    /** An argument: an operand in memory, or a register that the caller fills. */
    public sealed interface Arg {
        DType dtype();

        record Read(DType dtype, View view) implements Arg {}

        record Given(DType dtype) implements Arg {}
    }

    public TileForm {
        steady = List.copyOf(steady);
        args = List.copyOf(args);
    }

    /** A program over all of {@code shape}. */
    public static TileForm of(List<Scalar> bodies, Shape shape, List<? extends Arg> args) {
        return of(bodies, shape, args, false);
    }

    /**
     * A program over all of {@code shape}, whose registers may follow the numbers of rows.
     *
     * @param afterNumbers whether a tile holds the numbers of rows before the registers
     */
    public static TileForm of(
            List<Scalar> bodies, Shape shape, List<? extends Arg> args, boolean afterNumbers) {
        var line = OperationList.of(bodies, args.stream().map(Arg::dtype).toList());
        var steady = steady(line, shape, args);
        var registers =
                new Registers(
                        line, steady, i -> isGiven(line, i, args), shape.size(), afterNumbers);
        var list = new ArrayList<Boolean>();
        for (boolean b : steady) list.add(b);
        return new TileForm(line, list, registers, List.copyOf(args));
    }

    private static boolean[] steady(OperationList line, Shape shape, List<? extends Arg> args) {
        var steady = new boolean[line.operations().size()];
        for (int i = 0; i < steady.length; i++) {
            var operation = line.operations().get(i);
            steady[i] =
                    switch (operation.form()) {
                        case Scalar.Lit _ -> true;
                        case Scalar.Index _, Scalar.Position _ -> false;
                        case Scalar.Arg(int a) ->
                                args.get(a) instanceof Arg.Read(_, var view)
                                        && isConstant(view, shape);
                        case Scalar.Un _,
                                Scalar.Bin _,
                                Scalar.Select _,
                                Scalar.Cast _,
                                Scalar.Draw _ ->
                                operation.from().stream().allMatch(j -> steady[j]);
                    };
        }
        return steady;
    }

    /** Whether every position reads the same element. */
    private static boolean isConstant(View view, Shape shape) {
        for (int d = 0; d < shape.rank(); d++)
            if (shape.dim(d) != 1 && view.stride(d) != 0) return false;
        return true;
    }

    private static boolean isGiven(OperationList line, int i, List<? extends Arg> args) {
        return line.operations().get(i).form() instanceof Scalar.Arg(int a)
                && args.get(a) instanceof Arg.Given;
    }

    boolean isGiven(int i) {
        return isGiven(line, i, args);
    }

    /** The most elements of one run: a multiple of eight. */
    public int length() {
        return registers.length();
    }

    /** The tile memory that the program needs. */
    public KernelScratch scratch() {
        var scratch = registers.scratch().and(ScratchArray.WALKS, 1);
        for (Arg arg : args)
            if (arg instanceof Arg.Read(var stored, _)) scratch = scratch.moving(stored, length());
        return scratch;
    }
}
