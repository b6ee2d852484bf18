package dev.ebb.cli.studio;

/** What is trained: a whole model, or adapters beside one that stays as it is. */
public enum Trained {
    WHOLE("whole"),
    ADAPTERS("adapters"),
    ADAPTERS_8_BITS("adapters-8"),
    ADAPTERS_4_BITS("adapters-4");

    private final String text;

    Trained(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
