package dev.ebb.nn.train;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.SequencedMap;

/**
 * The result of an epoch.
 *
 * @param epoch its number, from zero on
 * @param step the number of steps made at its end
 * @param loss the mean of its batches' training losses
 * @param validation figures on the validation data by name, {@code loss} first; empty without such
 *     data
 */
public record EpochReport(
        int epoch, long step, double loss, SequencedMap<String, Double> validation) {
    public EpochReport {
        validation = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(validation));
    }

    /** A figure by its name. */
    public double figure(String name) {
        var found = validation.get(name);
        if (found == null) {
            throw new IllegalArgumentException(
                    ("no figure %s was asked for; there are %s, and validating(data, metrics) asks"
                                    + " for more")
                            .formatted(name, validation.sequencedKeySet()));
        }
        return found;
    }

    /** A line of text. */
    @Override
    public String toString() {
        var text = new StringBuilder();
        text.append(
                String.format(Locale.ROOT, "epoch %d, step %d: loss %.4f", epoch + 1, step, loss));
        validation.forEach(
                (name, value) ->
                        text.append(
                                String.format(Locale.ROOT, ", validation %s %.4f", name, value)));
        return text.toString();
    }
}
