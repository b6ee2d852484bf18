package dev.ebb.nn.onnx;

import dev.ebb.ir.DType;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.List;

/** Classification losses; the classes are along axis one. */
final class LossRules {
    private LossRules() {}

    static OpTable table() {
        return new OpTable()
                .one("NegativeLogLikelihoodLoss", 12, (node, in) -> loss(node, in, in.tensor(0)))
                .many(
                        "SoftmaxCrossEntropyLoss",
                        12,
                        (node, in) -> {
                            var logs = in.tensor(0).logSoftmax(1);
                            return List.of(loss(node, in, logs), logs);
                        });
    }

    /**
     * The negative logarithm at each target times its class's weight; ignored targets have weight
     * zero.
     */
    private static Tensor loss(OnnxNode node, Operands in, Tensor logs) {
        var targets = in.tensor(1).cast(DType.I64);
        var weights = in.maybe(2).orElseGet(() -> Tensors.ones(logs.dtype(), logs.dim(1)));
        var chosen = targets;
        if (node.has("ignore_index")) {
            var counts = targets.ne((double) node.whole("ignore_index", 0));
            chosen = Tensors.where(counts, targets, targets.literal(0));
            weights = weights.indexSelect(0, chosen).mul(counts.cast(logs.dtype()));
        } else {
            weights = weights.indexSelect(0, chosen);
        }
        var picked = logs.gather(1, chosen.unsqueeze(1)).squeeze(1);
        var losses = picked.neg().mul(weights);
        return switch (node.text("reduction", "mean")) {
            case "none" -> losses;
            case "sum" -> losses.sum();
            case "mean" -> losses.sum().div(weights.sum());
            default -> throw node.refused("the reduction " + node.text("reduction", ""));
        };
    }
}
