package dev.ebb.nn.train;

import java.util.List;

/**
 * The condition of early stopping.
 *
 * @param figure the validation figure that must improve
 * @param epochs the number of epochs without improvement after which training stops
 */
record EarlyStopping(String figure, int epochs) {
    EarlyStopping {
        if (epochs < 1) throw new IllegalArgumentException("a patience of " + epochs + " epochs");
    }

    /** Whether larger values of the figure are better; for the loss, smaller ones are. */
    private boolean isHigherBetter(List<Metric> metrics) {
        return metrics.stream()
                .filter(m -> m.name().equals(figure))
                .findFirst()
                .map(Metric::isHigherBetter)
                .orElse(false);
    }

    /** The index of the best epoch, the first of equal ones; -1 if there is none. */
    int best(List<EpochReport> history, List<Metric> metrics) {
        int best = -1;
        for (int i = 0; i < history.size(); i++) {
            double now = history.get(i).figure(figure);
            if (Double.isNaN(now)) continue;
            double before = best < 0 ? now : history.get(best).figure(figure);
            if (best < 0 || (isHigherBetter(metrics) ? now > before : now < before)) best = i;
        }
        return best;
    }

    boolean isOver(List<EpochReport> history, List<Metric> metrics) {
        return history.size() - 1 - best(history, metrics) >= epochs;
    }
}
