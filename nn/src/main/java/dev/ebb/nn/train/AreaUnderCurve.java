package dev.ebb.nn.train;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The area under the ROC curve, computed from ranks (Mann and Whitney), with mean ranks for ties;
 * keeps the scores of all rows.
 */
record AreaUnderCurve() implements Metric {
    private record Scored(float score, boolean positive) {}

    @Override
    public String name() {
        return "auc";
    }

    @Override
    public boolean isHigherBetter() {
        return true;
    }

    @Override
    public Tally start() {
        return new Tally() {
            private final List<Scored> all = new ArrayList<>();

            @Override
            public void add(Predictions some) {
                if (some.width() > 2) {
                    throw new IllegalArgumentException(
                            "the area under the curve is of two classes, not of " + some.width());
                }
                for (int i = 0; i < some.count(); i++) {
                    float score =
                            some.width() == 1
                                    ? some.output(i, 0)
                                    : some.output(i, 1) - some.output(i, 0);
                    all.add(new Scored(score, some.target(i) == 1));
                }
            }

            @Override
            public double value() {
                return area(all);
            }
        };
    }

    private static double area(List<Scored> all) {
        var sorted = new ArrayList<>(all);
        sorted.sort(Comparator.comparingDouble(Scored::score));
        long positives = sorted.stream().filter(Scored::positive).count();
        double ranks = 0;
        for (int from = 0; from < sorted.size(); ) {
            int to = from;
            long among = 0;
            while (to < sorted.size() && sorted.get(to).score == sorted.get(from).score)
                if (sorted.get(to++).positive) among++;
            // ranks from + 1 to to; each of these ties has their mean
            ranks += among * (from + 1 + to) / 2.0;
            from = Math.max(to, from + 1);
        }
        double below = ranks - positives * (positives + 1) / 2.0;
        return below / ((double) positives * (sorted.size() - positives));
    }
}
