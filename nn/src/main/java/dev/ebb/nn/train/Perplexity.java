package dev.ebb.nn.train;

/** The exponential of the mean of all rows' losses. */
record Perplexity() implements Metric {
    @Override
    public String name() {
        return "perplexity";
    }

    @Override
    public boolean isHigherBetter() {
        return false;
    }

    @Override
    public Tally start() {
        return new Tally() {
            private double sum;
            private long rows;

            @Override
            public void add(Predictions some) {
                for (float loss : some.losses()) sum += loss;
                rows += some.losses().length;
            }

            @Override
            public double value() {
                return StrictMath.exp(sum / rows);
            }
        };
    }
}
