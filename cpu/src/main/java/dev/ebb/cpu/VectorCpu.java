package dev.ebb.cpu;

import dev.ebb.exec.Device;
import dev.ebb.exec.HostQueue;
import dev.ebb.exec.Queue;
import dev.ebb.exec.Reference;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Control;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Type;

import java.util.List;

/** The kernels of the Vector API, shared among threads. Loaded only where that API is there. */
final class VectorCpu implements Device, AutoCloseable {
    private final Workers workers;
    private final Reference reference = new Reference();
    private final Elementwise elementwise;
    private final F32Panels floats;
    private final F64Panels doubles;

    VectorCpu(int threads) {
        this(threads, new FusedLoops());
    }

    VectorCpu(int threads, FusedLoops loops) {
        workers = new Workers(threads);
        elementwise = new Elementwise(workers, loops);
        floats = new F32Panels(threads);
        doubles = new F64Panels(threads);
    }

    @Override
    public String name() {
        return "cpu";
    }

    @Override
    public long workspaceBytes(Node node) {
        var types = node.inputTypes().stream().map(Type::dtype).toList();
        if (node.kernel() instanceof Kernel.Fold k) return Elementwise.workspaceBytes(k, types);
        if (node.kernel() instanceof Kernel.Rows k) return RowsKernel.workspaceBytes(k, types);
        return reference.workspaceBytes(node);
    }

    @Override
    public long fixedBytes() {
        return elementwise.fixedBytes() + floats.bytes() + doubles.bytes();
    }

    @Override
    public Queue open() {
        return new HostQueue(this::bind);
    }

    private Runnable bind(Node node, List<Buffer> inputs, List<Buffer> outputs, Buffer workspace) {
        return switch (node.kernel()) {
            case Kernel.Map k -> elementwise.map(k, inputs, outputs);
            case Kernel.Contract k -> contract(k, node, inputs, outputs.getFirst(), workspace);
            case Kernel.Convolve k -> convolve(k, node, inputs, outputs.getFirst(), workspace);
            case Kernel.Attend k -> attend(k, inputs, outputs);
            case Kernel.AttendGrad k -> attendGrad(k, inputs, outputs);
            case Kernel.Fold k -> elementwise.fold(k, inputs, outputs.getFirst(), workspace);
            case Kernel.Rows k -> elementwise.rows(k, inputs, outputs.getFirst(), workspace);
            case Kernel.Assemble k -> elementwise.assemble(k, inputs, outputs.getFirst());
            case Kernel.Cut k -> elementwise.cut(k, inputs.getFirst(), outputs);
            case Kernel.Gather k ->
                    elementwise.gather(k, inputs.get(0), inputs.get(1), outputs.getFirst());
            case Kernel.Scatter k ->
                    elementwise.scatter(k, inputs.get(0), inputs.get(1), outputs.getFirst());
            case Kernel.Cumulate k ->
                    elementwise.cumulate(k, inputs.getFirst(), outputs.getFirst());
            case Control _, Kernel.Library _ -> reference.bind(node, inputs, outputs, workspace);
        };
    }

    private Runnable contract(
            Kernel.Contract k, Node node, List<Buffer> in, Buffer out, Buffer workspace) {
        var type = in.getFirst().dtype().compute();
        if (!type.isFloat() || out.dtype() == DType.BIT) {
            return reference.bind(node, in, List.of(out), workspace);
        }
        return new Contraction(
                k,
                in.get(0),
                in.get(1),
                in.subList(2, in.size()),
                out,
                type == DType.F32 ? floats : doubles,
                elementwise.tiles(),
                elementwise.loops(),
                workers);
    }

    private Runnable convolve(
            Kernel.Convolve k, Node node, List<Buffer> in, Buffer out, Buffer workspace) {
        return switch (out.dtype()) {
            case F32 -> new Convolution(k, in, out, floats, workers);
            case F64 -> new Convolution(k, in, out, doubles, workers);
            case BF16, F16, I32, I64, U8, BOOL, BIT ->
                    reference.bind(node, in, List.of(out), workspace);
        };
    }

    private Runnable attend(Kernel.Attend k, List<Buffer> in, List<Buffer> out) {
        return in.getFirst().dtype().compute() == DType.F32 && AttendForward.fits(k.heads())
                ? new AttendForward(k, in, out, floats, workers)
                : PlainAttention.of(k, in, out, workers);
    }

    private Runnable attendGrad(Kernel.AttendGrad k, List<Buffer> in, List<Buffer> out) {
        return in.getFirst().dtype() == DType.F32 && AttendBackward.fits(k.heads())
                ? new AttendBackward(k, in, out, floats, workers)
                : PlainAttention.of(k, in, out, workers);
    }

    @Override
    public void close() {
        workers.close();
    }
}
