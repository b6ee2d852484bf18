package dev.ebb.examples;

import dev.ebb.Ebb;
import dev.ebb.Next;
import dev.ebb.nn.Seed;
import dev.ebb.nn.adapt.LoraAdapters;
import dev.ebb.nn.adapt.LoraConfig;
import dev.ebb.nn.adapt.QuantisedDense;
import dev.ebb.nn.model.AutoregressiveModel;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.nn.optim.AdamW;
import dev.ebb.nn.optim.Optimizer;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

/** Fine-tunes adapters of a frozen model whose weights have 8 bits. */
public final class Example14FineTuning {
    private Example14FineTuning() {}

    // [tuning
    /** The model is passed through unchanged; only the adapters are updated. */
    public record State(
            AutoregressiveModel model,
            LoraAdapters adapters,
            Optimizer.State<LoraAdapters> optimizer) {}

    static final AdamW RULE = AdamW.of(0.02);

    static Next<State, Tensor> step(State s, Tensor ids) {
        var loss =
                Ebb.valueAndGrad((LoraAdapters a) -> a.on(s.model()).loss(ids, ids))
                        .apply(s.adapters());
        var next = RULE.update(s.adapters(), loss.grad(), s.optimizer());
        return new Next<>(new State(s.model(), next.params(), next.state()), loss.value());
    }

    static AutoregressiveModel tuned(Gpt2 model, Tensor ids, int steps) {
        var few =
                model.rewritten(
                        (path, layer) -> QuantisedDense.of(layer, QuantisedDense.Bits.EIGHT));
        var adapters = LoraAdapters.of(few, LoraConfig.of(4).at("c_attn"), new Seed(2));
        var start = new State(few, adapters, RULE.start(adapters));
        try (var training =
                Ebb.stepper(Example14FineTuning::step)
                        .within(Budget.of("4MiB"))
                        .start(start, ids)) {
            for (int i = 0; i < steps; i++) training.step(ids);
            return training.state().adapters().mergedInto(model);
        }
    }

    // tuning]

    public static void main(String[] args) {
        var model = Gpt2.of(Gpt2.Config.of(16, 8, 32, 2, 2), new Seed(1));
        var ids = Array.of(new int[][] {{1, 2, 3, 4}, {5, 6, 7, 8}});
        System.out.println("loss before " + model.loss(ids, ids).item());
        System.out.println("loss after " + tuned(model, ids, 30).loss(ids, ids).item());
    }
}
