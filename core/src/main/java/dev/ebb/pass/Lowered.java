package dev.ebb.pass;

import dev.ebb.ir.Adjoints;
import dev.ebb.ir.Inverse;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;

import java.util.List;
import java.util.Set;

/**
 * An op reduced to its kernel, possibly several of the user's ops in one. Derivatives are taken
 * before this.
 */
public record Lowered(
        String name, Kernel kernel, List<Type> types, Set<Trait> traits, List<Inverse> inverses)
        implements Op {

    public Lowered {
        types = List.copyOf(types);
        inverses = List.copyOf(inverses);
        traits = Set.copyOf(traits);
    }

    @Override
    public List<Type> infer(List<Type> inputs) {
        return types;
    }

    /** {@code inverse} of an op on {@code node}, reduced to its kernel too. */
    static Inverse lowered(Inverse inverse, Node node) {
        var rebuilt = inverse.of(node);
        var kernel = rebuilt.kernel();
        var op =
                new Lowered(
                        inverse.op().name(),
                        kernel,
                        rebuilt.outputTypes(),
                        inverse.op().traits(),
                        List.of());
        return new Inverse(inverse.input(), op, inverse.reads(), inverse.exact());
    }

    @Override
    public List<Inverse> inverses(List<Type> inputs) {
        return inverses;
    }

    @Override
    public Kernel kernel(List<Type> inputs) {
        return kernel;
    }

    @Override
    public void pullback(Node node, Adjoints adjoints) {
        throw new IllegalStateException(
                name + " is already lowered: derivatives are taken before fusing");
    }

    /** {@code node} with another kernel, on other values. */
    public static Node of(
            Node node, Kernel kernel, List<Value> inputs, List<Value> outputs, Set<Trait> traits) {
        List<Type> types = outputs.stream().map(Value::type).toList();
        var op = new Lowered(node.op().name(), kernel, types, traits, List.of());
        return node.with(op, inputs, outputs);
    }
}
