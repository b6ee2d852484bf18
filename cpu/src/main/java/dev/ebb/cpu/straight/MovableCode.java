package dev.ebb.cpu.straight;

import dev.ebb.ir.Buffer;
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

/**
 * Writes the method of {@link dev.ebb.exec.Anywhere}: local 1 is the memory, local 2 the array of
 * where operands and results begin, which are locals themselves from the start on.
 */
final class MovableCode implements Elements.Location {
    /** Memory that stands for a place that is known when the method is called. */
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
    private final Elements elements;
    private final List<Integer> starts = new ArrayList<>();
    private final Map<Element, Operand> known = new HashMap<>();

    MovableCode(Node node, CodeBuilder code) {
        this.node = node;
        this.code = code;
        elements = new Elements(code, this);
    }

    void write() {
        var in = places(node.inputs());
        var out = places(node.outputs());
        var made =
                new KernelCode(new ScalarCode(code, elements))
                        .write(
                                node.kernel(),
                                node.inputTypes().stream().map(Type::dtype).toList(),
                                node.outputTypes().stream().map(Type::dtype).toList(),
                                (input, i) ->
                                        known.computeIfAbsent(
                                                new Element(input, i),
                                                e -> elements.load(in.get(input), e.index())));
        for (int j = 0; j < out.size(); j++) elements.store(made.get(j), out.get(j));
        code.return_();
    }

    /** A buffer for each value, whose start is put into a local. */
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
        code.lload(starts.get(number)).loadConstant(at).ladd();
    }
}
