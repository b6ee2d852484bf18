package dev.ebb.cpu.sequence;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Memory;
import dev.ebb.ir.Node;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Emits the method of {@link dev.ebb.exec.RelocatableKernel}. Local 1 is the memory segment, local
 * 2 the array of offsets of operands and results; the offsets are loaded into locals at the start.
 */
final class RelocatableCode implements ElementAccess.Location {
    /** A placeholder for memory whose offset is an argument of the method. */
    private record Later(int number, long bytes) implements Memory {
        @Override
        public long address() {
            return 0;
        }

        @Override
        public Memory slice(long offset, long length) {
            throw new IllegalStateException("this memory is known later");
        }

        @Override
        public MemorySegment segment() {
            throw new IllegalStateException("this memory is known later");
        }
    }

    private record Element(int input, long index) {}

    private final Node node;
    private final CodeBuilder code;
    private final ElementAccess elements;
    private final List<Integer> starts = new ArrayList<>();
    private final Map<Element, Operand> known = new HashMap<>();

    /** The local variable with the current element index, inside a loop over elements. */
    private OptionalInt position = OptionalInt.empty();

    RelocatableCode(Node node, CodeBuilder code) {
        this.node = node;
        this.code = code;
        elements = new ElementAccess(code, this);
    }

    void write() {
        var in = places(node.inputs());
        var out = places(node.outputs());
        if (RelocatableLoop.isLoop(node)) loop(in, out);
        else body(node.kernel(), in, out);
        code.return_();
    }

    private void body(Kernel kernel, List<Buffer> in, List<Buffer> out) {
        var made =
                new KernelCode(new ScalarCode(code, elements))
                        .write(
                                kernel,
                                node.inputTypes().stream().map(Type::dtype).toList(),
                                node.outputTypes().stream().map(Type::dtype).toList(),
                                (input, i) -> read(in, input, i));
        for (int j = 0; j < out.size(); j++) elements.store(made.get(j), out.get(j));
    }

    private Operand read(List<Buffer> in, int input, long i) {
        return known.computeIfAbsent(
                new Element(input, i), e -> elements.load(in.get(input), e.index()));
    }

    /** A loop over the elements; loop-invariant operands are loaded before it. */
    private void loop(List<Buffer> in, List<Buffer> out) {
        for (int i = 0; i < in.size(); i++) if (in.get(i).size() == 1) read(in, i, 0);
        int at = code.allocateLocal(TypeKind.INT);
        var next = code.newLabel();
        var end = code.newLabel();
        code.iconst_0().istore(at).labelBinding(next);
        code.iload(at).loadConstant((int) out.getFirst().size()).if_icmpge(end);
        position = OptionalInt.of(at);
        body(RelocatableLoop.single(node), in, out);
        code.iinc(at, 1).goto_(next).labelBinding(end);
    }

    /** A buffer for each value, whose offset is put into a local. */
    private List<Buffer> places(List<Value> values) {
        var all = new ArrayList<Buffer>();
        for (Value v : values) {
            var type = v.type();
            all.add(new Buffer(type.dtype(), type.size(), new Later(starts.size(), type.bytes())));
            code.aload(2).loadConstant(starts.size()).laload();
            int local = code.allocateLocal(TypeKind.LONG);
            code.lstore(local);
            starts.add(local);
        }
        return all;
    }

    @Override
    public void memory(Buffer buffer) {
        code.aload(1);
    }

    @Override
    public void offset(Buffer buffer, long at) {
        int number = ((Later) buffer.memory()).number();
        code.lload(starts.get(number));
        if (position.isPresent() && buffer.size() > 1)
            code.iload(position.getAsInt())
                    .i2l()
                    .loadConstant(buffer.dtype().bytes(1))
                    .lmul()
                    .ladd();
        else code.loadConstant(at).ladd();
    }
}
