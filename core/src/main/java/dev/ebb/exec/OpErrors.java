package dev.ebb.exec;

import dev.ebb.ir.Node;

/**
 * Adds the name of an op and the types of its operands to the message of an exception that its
 * kernel throws because of its data.
 */
public final class OpErrors {
    private OpErrors() {}

    /** {@code body}, the kernel of {@code node}, with the name of the op in its error messages. */
    public static Runnable of(Node node, Runnable body) {
        return () -> {
            try {
                body.run();
            } catch (IndexOutOfBoundsException e) {
                throw named(node, e);
            } catch (ArithmeticException e) {
                var named = new ArithmeticException(text(node, e));
                named.initCause(e);
                throw named;
            }
        };
    }

    /** {@code e}, thrown by the kernel of {@code node}, with the name of the op. */
    public static IndexOutOfBoundsException named(Node node, IndexOutOfBoundsException e) {
        var named = new IndexOutOfBoundsException(text(node, e));
        named.initCause(e);
        return named;
    }

    private static String text(Node node, RuntimeException e) {
        return node.op().name() + " of " + node.inputTypes() + ": " + e.getMessage();
    }
}
