package dev.ebb.nn.train;

/** A measure of a model's quality on validation data. */
public interface Metric {

    /** The name in reports. */
    String name();

    /** Whether larger values are better. */
    boolean isHigherBetter();

    /** Starts an empty tally. */
    Tally start();

    /** Accumulates predictions. */
    interface Tally {
        void add(Predictions some);

        /** The figure for all predictions added; NaN if there are none. */
        double value();
    }

    /** The share of targets whose class has the largest output. */
    static Metric accuracy() {
        return ClassificationMetrics.accuracy();
    }

    /** The share of targets whose class is among the {@code k} largest outputs. */
    static Metric topK(int k) {
        return ClassificationMetrics.topK(k);
    }

    /**
     * The harmonic mean of precision and recall: of class 1 for one output or two classes, else the
     * mean over all classes. A class without targets and predictions counts as 0.
     */
    static Metric f1() {
        return ClassificationMetrics.f1();
    }

    /**
     * The area under the ROC curve for targets of 0 and 1: the share of pairs that are ranked
     * correctly, where ties count half. There is one output, or one for each of two classes.
     */
    static Metric auc() {
        return new AreaUnderCurve();
    }

    /** The exponential of the mean loss. */
    static Metric perplexity() {
        return new Perplexity();
    }
}
