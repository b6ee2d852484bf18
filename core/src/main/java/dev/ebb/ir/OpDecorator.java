package dev.ebb.ir;

import java.util.List;
import java.util.Set;

/**
 * An op that adds one property to another op and otherwise answers every question as that op does.
 * A decorator implements this interface and overrides the methods that it changes, so that all
 * properties of an op are properties of the decorated one too. A method added to {@link Op} is
 * added here.
 */
public interface OpDecorator extends Op {

    /** The op that answers. */
    Op op();

    @Override
    default String name() {
        return op().name();
    }

    @Override
    default List<Type> infer(List<Type> inputs) {
        return op().infer(inputs);
    }

    @Override
    default Kernel kernel(List<Type> inputs) {
        return op().kernel(inputs);
    }

    @Override
    default void pullback(Node node, Adjoints adjoints) {
        op().pullback(node, adjoints);
    }

    @Override
    default boolean forward(Node node, Forwarding forwarding) {
        return op().forward(node, forwarding);
    }

    @Override
    default List<Inverse> inverses(List<Type> inputs) {
        return op().inverses(inputs);
    }

    @Override
    default void batch(Node node, Op.Batching batching) {
        op().batch(node, batching);
    }

    @Override
    default Set<Trait> traits() {
        return op().traits();
    }

    @Override
    default Set<String> labels() {
        return op().labels();
    }
}
