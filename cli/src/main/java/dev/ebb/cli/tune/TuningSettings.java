package dev.ebb.cli.tune;

import dev.ebb.cli.option.Refusal;
import dev.ebb.nn.adapt.LoraConfig;
import dev.ebb.nn.adapt.QuantisedDense.Bits;
import dev.ebb.nn.optim.Adam;
import dev.ebb.nn.optim.AdamW;
import dev.ebb.nn.optim.LearningRateSchedule;
import dev.ebb.plan.Budget;

import java.util.List;
import java.util.Optional;

/**
 * The settings of a run, stored in its checkpoint for a resumption.
 *
 * @param from the model's folder or file, as an absolute path
 * @param budget as typed
 * @param bits of the frozen layers: 4, 8, or 32 for unquantised weights
 * @param heldOut the share of the text, from its end, that is used for validation only
 * @param every steps between checkpoints and evaluations
 * @param threads zero for one per core
 * @param format the format of the text
 */
record TuningSettings(
        String from,
        String budget,
        int rank,
        double alpha,
        List<String> targets,
        int bits,
        int batch,
        int context,
        long steps,
        double rate,
        double heldOut,
        long seed,
        int every,
        int threads,
        TuningText.Format format) {
    TuningSettings {
        targets = List.copyOf(targets);
        require(bits == 32 || bits == 8 || bits == 4, "--bits is 32, 8 or 4, not " + bits);
        require(
                heldOut >= 0 && heldOut < 1,
                "--held-out is a share from 0 to below 1, not " + heldOut);
        for (long size : List.of(steps, (long) batch, (long) context, (long) rank, (long) every))
            require(
                    size > 0,
                    "--steps, --batch, --context, --rank and --checkpoint must be positive, not "
                            + size);
        require(rate > 0 && rate < 1e3, "--rate is positive, such as 0.0005, not " + rate);
        require(Double.isFinite(alpha), "--alpha is a number, such as twice the rank");
        require(threads >= 0, "--threads must not be negative, as " + threads + " is");
        Budget.of(budget);
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) throw new Refusal(otherwise);
    }

    LoraConfig lora() {
        return new LoraConfig(rank, alpha, false, targets);
    }

    Optional<Bits> rounding() {
        return switch (bits) {
            case 8 -> Optional.of(Bits.EIGHT);
            case 4 -> Optional.of(Bits.FOUR);
            default -> Optional.empty();
        };
    }

    /**
     * AdamW without weight decay, with a linear warm-up over at most a tenth of the steps, then
     * decaying.
     */
    AdamW optimizer() {
        long warmUp = Math.min(20, steps / 10);
        var rates = LearningRateSchedule.cosine(rate, rate / 10, steps - warmUp).warmedUp(warmUp);
        return new AdamW(new Adam(rates, 0.9, 0.999, 1e-8), 0);
    }
}
