package dev.ebb.nn.onnx;

import java.util.HashMap;
import java.util.Map;

/** The table of all implemented ONNX ops. */
final class OnnxOps {
    static final Map<String, OpTable.Entry> ALL = all();

    private OnnxOps() {}

    private static Map<String, OpTable.Entry> all() {
        var all = new HashMap<String, OpTable.Entry>();
        all.putAll(ElementRules.table().entries());
        all.putAll(ReductionRules.table().entries());
        all.putAll(ShapeRules.table().entries());
        all.putAll(RearrangingRules.table().entries());
        all.putAll(ResizeRules.table().entries());
        all.putAll(IndexRules.table().entries());
        all.putAll(NetworkRules.table().entries());
        all.putAll(ConvolutionRules.table().entries());
        all.putAll(LossRules.table().entries());
        all.putAll(RecurrentRules.table().entries());
        all.putAll(QuantisedRules.table().entries());
        all.putAll(DetectionRules.table().entries());
        all.putAll(GridSampleRules.table().entries());
        all.putAll(SignalRules.table().entries());
        all.putAll(ControlRules.table().entries());
        return Map.copyOf(all);
    }
}
