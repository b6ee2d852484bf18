package dev.ebb.nn.onnx;

import dev.ebb.ir.DType;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.List;
import java.util.Set;
import java.util.function.BinaryOperator;

/** The ops of ONNX as those of Ebb: elementwise ones here, others in their families. */
final class OnnxOps {
    /** All that are implemented. */
    static final Set<String> KNOWN =
            Set.of(
                    "Abs",
                    "Add",
                    "And",
                    "ArgMax",
                    "AveragePool",
                    "BatchNormalization",
                    "Cast",
                    "Ceil",
                    "Clip",
                    "Concat",
                    "Constant",
                    "ConstantOfShape",
                    "Conv",
                    "Cos",
                    "Div",
                    "Dropout",
                    "Equal",
                    "Erf",
                    "Exp",
                    "Expand",
                    "Flatten",
                    "Floor",
                    "Gather",
                    "Gelu",
                    "Gemm",
                    "GlobalAveragePool",
                    "Greater",
                    "GreaterOrEqual",
                    "Identity",
                    "LayerNormalization",
                    "LeakyRelu",
                    "Less",
                    "LessOrEqual",
                    "Log",
                    "LogSoftmax",
                    "MatMul",
                    "Max",
                    "MaxPool",
                    "Min",
                    "Mod",
                    "Mul",
                    "Neg",
                    "Not",
                    "Or",
                    "Pow",
                    "Range",
                    "Reciprocal",
                    "ReduceMax",
                    "ReduceMean",
                    "ReduceMin",
                    "ReduceProd",
                    "ReduceSum",
                    "Relu",
                    "Reshape",
                    "Shape",
                    "Sigmoid",
                    "Sin",
                    "Slice",
                    "Softmax",
                    "Softplus",
                    "Split",
                    "Sqrt",
                    "Squeeze",
                    "Sub",
                    "Tanh",
                    "Transpose",
                    "Trilu",
                    "Unsqueeze",
                    "Where");

    private OnnxOps() {}

    static List<Datum> apply(OnnxNode node, Operands in) {
        if (in.allKnown()) {
            var known = KnownOps.apply(node, in);
            if (known.isPresent()) return List.of(known.get());
        }
        return switch (node.op()) {
            case "Abs" -> one(in.tensor(0).abs());
            case "Neg" -> one(in.tensor(0).neg());
            case "Sqrt" -> one(in.tensor(0).sqrt());
            case "Exp" -> one(in.tensor(0).exp());
            case "Log" -> one(in.tensor(0).log());
            case "Sin" -> one(in.tensor(0).sin());
            case "Cos" -> one(in.tensor(0).cos());
            case "Erf" -> one(in.tensor(0).erf());
            case "Tanh" -> one(in.tensor(0).tanh());
            case "Sigmoid" -> one(in.tensor(0).sigmoid());
            case "Relu" -> one(in.tensor(0).relu());
            case "Softplus" -> one(in.tensor(0).softplus());
            case "Floor" -> one(in.tensor(0).floor());
            case "Ceil" -> one(in.tensor(0).ceil());
            case "Reciprocal" -> one(in.tensor(0).reciprocal());
            case "Not" -> one(truth(in.tensor(0)).not());
            case "LeakyRelu" -> one(in.tensor(0).leakyRelu(node.number("alpha", 0.01)));
            case "Gelu" ->
                    one(
                            node.text("approximate", "none").equals("tanh")
                                    ? in.tensor(0).geluTanh()
                                    : in.tensor(0).gelu());
            case "Identity" -> List.of(in.get(0));
            case "Dropout" -> List.of(dropout(node, in));
            case "Add" -> both(in, Tensor::add);
            case "Sub" -> both(in, Tensor::sub);
            case "Mul" -> both(in, Tensor::mul);
            case "Div" -> both(in, Tensor::div);
            case "Mod" -> both(in, Tensor::remainder);
            case "Pow" -> one(in.tensor(0).pow(in.tensor(1).cast(in.tensor(0).dtype())));
            case "Min" -> all(in, Tensor::minimum);
            case "Max" -> all(in, Tensor::maximum);
            case "Equal" -> both(in, Tensor::eq);
            case "Greater" -> both(in, Tensor::gt);
            case "GreaterOrEqual" -> both(in, Tensor::ge);
            case "Less" -> both(in, Tensor::lt);
            case "LessOrEqual" -> both(in, Tensor::le);
            case "And" -> one(truth(in.tensor(0)).and(truth(in.tensor(1))));
            case "Or" -> one(truth(in.tensor(0)).or(truth(in.tensor(1))));
            case "Where" -> one(Tensors.where(truth(in.tensor(0)), in.tensor(1), in.tensor(2)));
            case "Clip" -> {
                var x = in.tensor(0);
                if (in.has(1)) x = x.maximum(in.tensor(1));
                yield one(in.has(2) ? x.minimum(in.tensor(2)) : x);
            }
            case "Cast" -> {
                long to = node.whole("to", 0);
                var dtype =
                        OnnxTensor.dtype(to)
                                .orElseThrow(
                                        () -> node.refused("a cast to ONNX's element type " + to));
                boolean stays =
                        in.get(0) instanceof Datum.Known
                                && (dtype == DType.I64 || dtype == DType.I32);
                yield stays ? List.of(in.get(0)) : one(in.tensor(0).cast(dtype));
            }
            case "Concat",
                    "Constant",
                    "ConstantOfShape",
                    "Expand",
                    "Flatten",
                    "Gather",
                    "Range",
                    "Reshape",
                    "Shape",
                    "Slice",
                    "Split",
                    "Squeeze",
                    "Transpose",
                    "Trilu",
                    "Unsqueeze" ->
                    MovingOps.apply(node, in);
            default -> one(NetworkOps.apply(node, in));
        };
    }

    static List<Datum> one(Tensor tensor) {
        return List.of(Datum.of(tensor));
    }

    private static Tensor truth(Tensor x) {
        return x.cast(DType.BOOL);
    }

    private static List<Datum> both(Operands in, BinaryOperator<Tensor> f) {
        return one(f.apply(in.tensor(0), in.tensor(1)));
    }

    private static List<Datum> all(Operands in, BinaryOperator<Tensor> f) {
        var result = in.tensor(0);
        for (int i = 1; i < in.size(); i++) result = f.apply(result, in.tensor(i));
        return one(result);
    }

    /** As in use: nothing is dropped. */
    private static Datum dropout(OnnxNode node, Operands in) {
        if (in.has(2)) throw node.refused("training mode; export the model for inference");
        return in.get(0);
    }
}
