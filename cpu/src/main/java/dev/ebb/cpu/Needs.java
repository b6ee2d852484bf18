package dev.ebb.cpu;

import dev.ebb.ir.Control;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;
import dev.ebb.ir.View;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What the kernels of a program need of its workers. Worker {@code i} needs as much of each bank as
 * the greediest kernel that has work for so many workers: the first one the most, later ones less.
 */
record Needs(Set<Need> kernels) {
    static final Needs NONE = new Needs(Set.of());

    Needs {
        kernels = Set.copyOf(kernels);
    }

    /** Of all nodes, and of those in the bodies of loops and branches. */
    static Needs of(Collection<Node> nodes) {
        var found = new LinkedHashSet<Need>();
        collect(nodes, found);
        found.remove(Need.NOTHING);
        return new Needs(found);
    }

    private static void collect(Collection<Node> nodes, Set<Need> found) {
        for (Node node : nodes) {
            if (!(node.kernel() instanceof Control control)) {
                found.add(KernelNeeds.of(node));
                continue;
            }
            var bodies = control instanceof Control.Scan k ? k.onward().bodies() : control.bodies();
            for (Graph body : bodies) {
                collect(body.nodes(), found);
                // what is carried may have to be copied to where the next round looks for it
                for (Value carry : body.params()) found.add(copy(carry.type()));
            }
        }
    }

    private static Need copy(Type type) {
        var view = View.contiguous(type.shape());
        var map = Kernel.Map.of(type.shape(), List.of(view), Scalar.arg(0));
        return MapKernel.need(map, List.of(type.dtype()), List.of(type.dtype()));
    }

    Needs and(Needs other) {
        var all = new LinkedHashSet<>(kernels);
        all.addAll(other.kernels);
        return new Needs(all);
    }

    /** What worker {@code i} needs. */
    Need worker(int i) {
        var need = Need.NOTHING;
        for (Need kernel : kernels) if (kernel.workers() > i) need = need.and(kernel);
        return need;
    }

    /** What so many workers take in all. */
    long bytes(int workers) {
        long bytes = 0;
        for (int i = 0; i < workers; i++) bytes += worker(i).bytes();
        return bytes;
    }
}
