package dev.ebb.nn.parallel;

import dev.ebb.exec.Device;
import dev.ebb.plan.Budget;
import dev.ebb.plan.cache.PlanCache;
import dev.ebb.tensor.Tensor;

import java.util.List;

/** A rank that sends its gradients after the backward pass, to compare with. */
public final class Afterwards {
    private Afterwards() {}

    public static <P> Rank<P> rank(
            Recipe<P> recipe, Partition cut, Group group, List<Tensor> example, Device device) {
        return new Rank<>(
                recipe,
                cut,
                group,
                example,
                Budget.unlimited(),
                device,
                PlanCache.inMemory(),
                false);
    }
}
