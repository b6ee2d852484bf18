package dev.ebb.cuda;

import dev.ebb.cuda.recipe.Action;
import dev.ebb.cuda.recipe.Operand;
import dev.ebb.cuda.recipe.Recipe;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/** Runs recipes on the processor, products by the library as plain loops. */
final class HostRunner {
    private final HostKernels kernels;

    /** Compiles all kernels of {@code recipes} into {@code folder}. */
    HostRunner(List<Recipe> recipes, Path folder) throws IOException, InterruptedException {
        kernels =
                new HostKernels(
                        recipes.stream().flatMap(r -> RecipeCache.launches(r).stream()).toList(),
                        folder);
    }

    /** Runs a recipe; the fault buffer is checked afterwards. */
    void run(Recipe recipe, List<Buffer> in, List<Buffer> out) {
        var workspace = Case.buffer(DType.U8, recipe.workspaceBytes());
        workspace.segment().fill((byte) 0xff);
        var fault = Case.buffer(DType.I64, 2);
        for (var action : recipe.actions()) run(action, in, out, workspace, fault);
        if (fault.getLong(0) != 0) throw new IndexOutOfBoundsException("index " + fault.getLong(1));
    }

    @SuppressWarnings("restricted") // addresses of buffers that the caller holds
    private void run(
            Action action, List<Buffer> in, List<Buffer> out, Buffer workspace, Buffer fault) {
        switch (action) {
            case Action.Launch l ->
                    kernels.run(
                            l,
                            l.operands().stream()
                                    .map(o -> address(o, in, out, workspace, fault))
                                    .toList());
            case Action.Zero z ->
                    MemorySegment.ofAddress(address(z.to(), in, out, workspace, fault))
                            .reinterpret(z.bytes())
                            .fill((byte) 0);
            case Action.Unless u -> run(u.first(), in, out, workspace, fault);
            case Action.Product p ->
                    SimulatedGpu.product(
                            p.gemm(),
                            address(p.a(), in, out, workspace, fault),
                            address(p.b(), in, out, workspace, fault),
                            address(p.c(), in, out, workspace, fault),
                            p.bias()
                                    .map(
                                            o ->
                                                    OptionalLong.of(
                                                            address(o, in, out, workspace, fault)))
                                    .orElseGet(OptionalLong::empty));
        }
    }

    private static long address(
            Operand operand, List<Buffer> in, List<Buffer> out, Buffer workspace, Buffer fault) {
        return switch (operand) {
            case Operand.In(int i) -> in.get(i).segment().address();
            case Operand.Out(int i) -> out.get(i).segment().address();
            case Operand.Work(long offset) -> workspace.segment().address() + offset;
            case Operand.Fault _ -> fault.segment().address();
            case Operand.Node _ -> 7;
        };
    }
}
