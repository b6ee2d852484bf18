package dev.ebb.nn.train;

/** A figure for how good a model is on data that it is not trained on. */
public interface Metric {

    /** What it is called in reports. */
    String name();

    /** Whether more is better. */
    boolean isHigherBetter();

    /** Counts from nothing. */
    Tally start();

    /** What has been counted so far. */
    interface Tally {
        void add(Predictions some);

        /** The figure for all that was added; not a number where there was nothing. */
        double value();
    }

    /** The share of targets whose class has the largest output. */
    static Metric accuracy() {
        return Classified.accuracy();
    }

    /** The share of targets whose class is among the {@code k} largest outputs. */
    static Metric topK(int k) {
        return Classified.topK(k);
    }

    /**
     * The harmonic mean of precision and recall: of class 1 for one output or two classes, else the
     * mean over all classes. A class that is neither there nor predicted counts as 0.
     */
    static Metric f1() {
        return Classified.f1();
    }

    /**
     * The area under the curve of true over false positives for targets of 0 and 1: the share of
     * pairs that are ranked right, half of those that are even. Outputs are one, or two classes'.
     */
    static Metric auc() {
        return new AreaUnderCurve();
    }

    /** The exponential of the mean loss. */
    static Metric perplexity() {
        return new Perplexity();
    }
}
