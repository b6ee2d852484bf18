package dev.ebb.cuda;

import dev.ebb.cuda.recipe.Action;
import dev.ebb.cuda.recipe.Operand;
import dev.ebb.cuda.recipe.Recipe;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * The addresses in device memory of the operands of a recipe.
 *
 * @param fault the address of two i64 for the first index out of bounds
 * @param number the number that identifies the node in the record of a fault
 */
record OperandAddresses(List<Long> in, List<Long> out, long workspace, long fault, long number) {
    private static final long LIBRARY_ALIGNMENT = 256;

    OperandAddresses {
        in = List.copyOf(in);
        out = List.copyOf(out);
    }

    private long of(Operand operand) {
        return switch (operand) {
            case Operand.In(int i) -> in.get(i);
            case Operand.Out(int i) -> out.get(i);
            case Operand.Work(long offset) -> workspace + offset;
            case Operand.Fault _ -> fault;
            case Operand.Node _ -> number;
        };
    }

    /** One enqueueing operation and its name. */
    record Piece(String name, Runnable body) {}

    /**
     * Binds the actions of a recipe to these addresses, in order; each result enqueues its action
     * on the stream.
     */
    List<Piece> bind(Recipe recipe, Gpu gpu, long stream) {
        var pieces = new ArrayList<Piece>();
        for (var action : recipe.actions()) bind(action, gpu, stream, pieces);
        return pieces;
    }

    private void bind(Action action, Gpu gpu, long stream, List<Piece> pieces) {
        switch (action) {
            case Action.Launch l -> {
                var arguments = l.operands().stream().map(this::of).toList();
                pieces.add(new Piece("kernel " + l.name(), gpu.launch(l, arguments, stream)));
            }
            case Action.Zero z -> {
                long to = of(z.to());
                var streams = gpu.streams();
                pieces.add(new Piece("zeros", () -> streams.zero(to, z.bytes(), stream)));
            }
            case Action.Unless u -> {
                if (of(u.in()) != of(u.out())) bind(u.first(), gpu, stream, pieces);
            }
            case Action.Product p -> {
                long work = Math.ceilDiv(workspace + p.workspace(), LIBRARY_ALIGNMENT);
                var body =
                        gpu.product(
                                p.gemm(),
                                of(p.a()),
                                of(p.b()),
                                of(p.c()),
                                p.bias()
                                        .map(o -> OptionalLong.of(of(o)))
                                        .orElseGet(OptionalLong::empty),
                                work * LIBRARY_ALIGNMENT,
                                stream);
                pieces.add(new Piece("a product by cuBLASLt", body));
            }
        }
    }
}
