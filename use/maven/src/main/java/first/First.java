package first;

import dev.ebb.Ebb;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

/** The gradient of a sum of squares. */
public final class First {
    private First() {}

    public static void main(String[] args) {
        try (var slope =
                Ebb.compile(Ebb.grad((Tensor x) -> x.square().sum())).within(Budget.of("1MiB"))) {
            System.out.println(slope.apply(Array.of(1f, 2f, 3f)));
        }
    }
}
