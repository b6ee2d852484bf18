package dev.ebb.cuda;

import dev.ebb.ir.DType;
import dev.ebb.ir.Node;
import dev.ebb.plan.cost.Roofline;
import dev.ebb.plan.schedule.Cost;

/** The cost of kernels on a GPU, whose tensor cores multiply sixteen-bit floats fastest. */
record CardCost(Roofline wide, Roofline half) implements Cost {

    /** Rates of a GPU like the H200, a little below those measured on one. */
    static CardCost of(Precision precision) {
        return new CardCost(
                switch (precision) {
                    case F32 -> new Roofline(45e12, 15e12, 3.8e12, 3e-6);
                    case TF32 -> new Roofline(300e12, 15e12, 3.8e12, 3e-6);
                },
                new Roofline(650e12, 15e12, 3.8e12, 3e-6));
    }

    @Override
    public double of(Node node) {
        if (node.inputs().isEmpty()) return wide.of(node);
        var type = node.inputs().getFirst().type().dtype();
        return type == DType.BF16 || type == DType.F16 ? half.of(node) : wide.of(node);
    }
}
