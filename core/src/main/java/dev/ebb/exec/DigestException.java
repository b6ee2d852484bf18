package dev.ebb.exec;

import dev.ebb.ir.Node;
import dev.ebb.plan.schedule.Inversion;

/** Recomputing a value gave other bits than its first computation. */
public final class DigestException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    public DigestException(Node node, int step) {
        super(
                node.op().name()
                        + (node.region().isTop() ? "" : " in " + node.region())
                        + " computed different bits when it ran again, at step "
                        + step
                        + "; an op whose result may differ between runs must have the trait"
                        + " NONDETERMINISTIC; it is then computed once and kept");
    }

    /** An op inside a loop or branch. */
    public DigestException(Node node) {
        super(
                node.op().name()
                        + (node.region().isTop() ? "" : " in " + node.region())
                        + " computed different bits when it ran again, inside a loop or branch; an"
                        + " op whose result may differ between runs must have the trait"
                        + " NONDETERMINISTIC; it is then computed once and kept");
    }

    public DigestException(Inversion inversion, int step) {
        super(
                inversion.node().op().name()
                        + ", the inverse of "
                        + inversion.undone().op().name()
                        + (inversion.undone().region().isTop()
                                ? ""
                                : " in " + inversion.undone().region())
                        + ", rebuilt "
                        + inversion.value()
                        + " with different bits, at step "
                        + step
                        + "; an inverse must restore every bit, or be declared approximate");
    }
}
