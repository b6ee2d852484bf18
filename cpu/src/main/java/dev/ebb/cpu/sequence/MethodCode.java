package dev.ebb.cpu.sequence;

import static dev.ebb.cpu.code.GeneratedClass.desc;

import static java.lang.constant.ConstantDescs.MTD_void;

import dev.ebb.cpu.code.ClassData;
import dev.ebb.exec.Sequence;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;

import java.lang.classfile.CodeBuilder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Emits one part of a {@link SequenceParts}: the arrays of arguments and results are locals 0 and
 * 1.
 */
final class MethodCode {
    private record Element(Value value, long index) {}

    private final SequenceParts form;
    private final int part;
    private final CodeBuilder code;
    private final ClassData data;
    private final ElementAccess elements;
    private final KernelCode kernels;
    private final Map<Value, Integer> arguments;
    private final Map<Element, Operand> known = new HashMap<>();

    MethodCode(SequenceParts form, int part, CodeBuilder code, ClassData data) {
        this.form = form;
        this.part = part;
        this.code = code;
        this.data = data;
        elements = new ElementAccess(code, ElementAccess.fixed(code, data));
        kernels = new KernelCode(new ScalarCode(code, elements));
        arguments = form.argumentStarts();
    }

    void write() {
        if (part == 0) for (Value v : form.argumentsInMemory()) put(v);
        for (int i : form.parts().get(part)) {
            var work = form.sequence().works().get(i);
            if (SequenceParts.isCalled(work)) call(work);
            else compute(work);
        }
        if (form.arrays() && part == form.parts().size() - 1) results();
    }

    private void put(Value argument) {
        for (var p : form.sequence().params()) {
            if (!p.value().equals(argument)) continue;
            var all = new ArrayList<Operand>();
            for (long i = 0; i < argument.type().size(); i++)
                all.add(element(argument, p.buffer(), i));
            elements.store(all, p.buffer());
        }
    }

    private void call(Sequence.Work work) {
        data.push(code, work.body(), Runnable.class);
        code.invokeinterface(desc(Runnable.class), "run", MTD_void);
        known.keySet().removeIf(e -> work.node().outputs().contains(e.value()));
    }

    private void compute(Sequence.Work work) {
        var node = work.node();
        var out = node.outputs().subList(0, work.outputs().size());
        var made =
                kernels.write(
                        node.kernel(),
                        node.inputTypes().stream().map(Type::dtype).toList(),
                        out.stream().map(v -> v.type().dtype()).toList(),
                        (input, i) ->
                                element(node.inputs().get(input), work.inputs().get(input), i));
        for (int j = 0; j < out.size(); j++) {
            for (int i = 0; i < made.get(j).size(); i++)
                known.put(new Element(out.get(j), i), made.get(j).get(i));
        }
        for (int j = 0; j < out.size(); j++)
            if (form.stored().contains(out.get(j)))
                elements.store(made.get(j), work.outputs().get(j));
    }

    private Operand element(Value value, Buffer where, long i) {
        var key = new Element(value, i);
        var before = known.get(key);
        if (before != null) return before;
        var loaded = arguments.containsKey(value) ? argument(value, i) : elements.load(where, i);
        known.put(key, loaded);
        return loaded;
    }

    private Operand argument(Value value, long i) {
        int start = arguments.getOrDefault(value, 0);
        code.aload(0).loadConstant((int) (start + i)).daload();
        return elements.keep(DType.F64);
    }

    /** All arguments are loaded before the first result is stored: both arrays may be the same. */
    private void results() {
        List<Operand> all = new ArrayList<>();
        for (var result : form.sequence().results()) {
            for (long i = 0; i < result.value().type().size(); i++)
                all.add(element(result.value(), result.buffer(), i));
        }
        for (int at = 0; at < all.size(); at++) {
            code.aload(1).loadConstant(at);
            elements.push(all.get(at));
            code.dastore();
        }
    }
}
