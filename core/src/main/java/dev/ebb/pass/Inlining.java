package dev.ebb.pass;

import dev.ebb.ir.FusionLimits;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Value;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.Optional;

/** Computes an elementwise value inside the kernel that reads it. */
final class Inlining {
    private Inlining() {}

    /**
     * {@code into} with the body of the map {@code from}, whose output is {@code value}, in place
     * of its operand {@code i}; empty if the views cannot be composed or a fusion limit is
     * exceeded.
     */
    static Optional<OperandViews.Bound> of(
            OperandViews.Bound into,
            int i,
            OperandViews.Bound from,
            Value value,
            FusionLimits limits) {
        var map = (Kernel.Map) from.kernel();
        var body = map.bodies().getFirst();
        var views = OperandViews.views(into.kernel());
        var walked = OperandViews.walked(into.kernel(), 0);
        if (!OperandViews.keepsItsPlace(body, map.shape(), walked, views.get(i)))
            return Optional.empty();
        var newViews = new ArrayList<>(views.subList(0, i));
        for (View v : map.operands()) {
            Optional<View> composed = Views.compose(walked, views.get(i), map.shape(), v);
            if (composed.isEmpty()) return Optional.empty();
            newViews.add(composed.get());
        }
        newViews.addAll(views.subList(i + 1, views.size()));
        var newInputs = new ArrayList<>(into.inputs().subList(0, i));
        newInputs.addAll(from.inputs());
        newInputs.addAll(into.inputs().subList(i + 1, into.inputs().size()));
        int added = map.operands().size();
        var stored = OperandViews.asStored(body, value.type().dtype());
        var moved = stored.mapArgs(a -> Scalar.arg(((Scalar.Arg) a).index() + i));
        var merged =
                OperandViews.withBodies(
                        into.kernel(),
                        newViews,
                        b ->
                                b.mapArgs(
                                        a -> {
                                            int index = ((Scalar.Arg) a).index();
                                            return index == i
                                                    ? moved
                                                    : Scalar.arg(
                                                            index < i ? index : index + added - 1);
                                        }));
        var shared = OperandViews.share(merged, newInputs);
        return shared.inputs().size() > limits.operands()
                        || OperandViews.bodyCost(shared.kernel()) > limits.body()
                ? Optional.empty()
                : Optional.of(shared);
    }
}
