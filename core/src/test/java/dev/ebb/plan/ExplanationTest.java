package dev.ebb.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.plan.search.Toy;

import org.junit.jupiter.api.Test;

class ExplanationTest {

    @Test
    void saysWhatHappensToEachValueAndWhy() {
        var curve = new Curve(Toy.mlp(4, 1024), Toy.COST, Curve.Measure.ARENA);
        assertThat(curve.at(Budget.share(0.8)).explain())
                .isEqualTo(
                        """
                        promised peak   33152 bytes (32.4 KiB)
                        store all       45440 bytes (44.4 KiB)
                        peak at         step 15 of 43, dloss, which writes %16
                        cost            1114.289, 100.3 % of computing everything once
                        lower bound     1113.473, gap 0.07 %
                        restored        recomputed 3, 12288 bytes (12.0 KiB), 0.3 % of the time
                        value  op       region   bytes  computed    extra cost  present  why
                        %1     in                 4096  2 times          1.024   11.6 %  recomputed: costs 262.144 per MiB
                        %3     product  layer 0   4096  once, kept           -   86.0 %  kept: recomputing costs 25600 per MiB
                        %4     tanh     layer 0   4096  2 times          1.024   14.0 %  recomputed: costs 262.144 per MiB
                        %6     product  layer 1   4096  once, kept           -   62.8 %  kept: recomputing costs 25600 per MiB
                        %7     tanh     layer 1   4096  2 times          1.024   14.0 %  recomputed: costs 262.144 per MiB
                        %9     product  layer 2   4096  once, kept           -   39.5 %  kept: recomputing costs 25600 per MiB
                        %10    tanh     layer 2   4096  once, kept           -   30.2 %  kept: the budget has room for it
                        %12    product  layer 3   4096  once, kept           -   18.6 %  kept: recomputing costs 25600 per MiB
                        %13    tanh     layer 3   4096  once, kept           -   11.6 %  kept: the budget has room for it
                        """);
    }

    @Test
    void saysThatEverythingFits() {
        assertThat(new StoreAll().decide(Toy.mlp(2, 1024), Toy.COST).explain())
                .contains("everything fits");
    }

    @Test
    void inferenceTakesLessThanTraining() {
        var toy = new Toy();
        var x = toy.product(1, 1024, toy.input(1024), toy.weight(16));
        for (int l = 0; l < 4; l++)
            x = toy.map("tanh", 1024, toy.product(1, 1024, x, toy.weight(16)));
        long inference = new StoreAll().decide(toy.infer(x), Toy.COST).peakBytes();
        long training = new StoreAll().decide(toy.gradient(x), Toy.COST).peakBytes();
        assertThat(inference).isLessThan(training);
    }
}
