package dev.ebb.cli.studio;

/** The weights that are trained: the whole model, or adapters of a frozen one. */
public enum TrainedWeights {
    WHOLE("whole"),
    ADAPTERS("adapters"),
    ADAPTERS_8_BITS("adapters-8"),
    ADAPTERS_4_BITS("adapters-4");

    private final String text;

    TrainedWeights(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
