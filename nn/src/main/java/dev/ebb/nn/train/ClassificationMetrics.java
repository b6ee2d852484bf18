package dev.ebb.nn.train;

import java.util.stream.IntStream;

/** Classification metrics. */
final class ClassificationMetrics {
    private ClassificationMetrics() {}

    /** Computes a figure from a confusion matrix. */
    private interface Figure {
        double of(ConfusionMatrix matrix);
    }

    private record OfMatrix(String name, Figure figure) implements Metric {
        @Override
        public boolean isHigherBetter() {
            return true;
        }

        @Override
        public Tally start() {
            var matrix = new ConfusionMatrix();
            return new Tally() {
                @Override
                public void add(Predictions some) {
                    matrix.add(some);
                }

                @Override
                public double value() {
                    return figure.of(matrix);
                }
            };
        }
    }

    static Metric accuracy() {
        return new OfMatrix("accuracy", ConfusionMatrix::accuracy);
    }

    static Metric f1() {
        return new OfMatrix("f1", ClassificationMetrics::f1);
    }

    private static double f1(ConfusionMatrix matrix) {
        if (matrix.classes() == 2) return matrix.f1(1);
        return IntStream.range(0, matrix.classes())
                .mapToDouble(matrix::f1)
                .average()
                .orElse(Double.NaN);
    }

    private record TopK(int k) implements Metric {
        TopK {
            if (k < 1) throw new IllegalArgumentException("the top " + k + " classes");
        }

        @Override
        public String name() {
            return "top" + k;
        }

        @Override
        public boolean isHigherBetter() {
            return true;
        }

        @Override
        public Tally start() {
            return new Tally() {
                private long right;
                private long all;

                @Override
                public void add(Predictions some) {
                    for (int i = 0; i < some.count(); i++) if (rank(some, i) < k) right++;
                    all += some.count();
                }

                @Override
                public double value() {
                    return (double) right / all;
                }
            };
        }

        /**
         * The number of classes with a larger output than the target's; of equal outputs the first
         * class counts as larger.
         */
        private static int rank(Predictions some, int i) {
            int target = some.target(i);
            float own = some.output(i, target);
            int before = 0;
            for (int j = 0; j < some.width(); j++)
                if (some.output(i, j) > own || (some.output(i, j) == own && j < target)) before++;
            return before;
        }
    }

    static Metric topK(int k) {
        return new TopK(k);
    }
}
