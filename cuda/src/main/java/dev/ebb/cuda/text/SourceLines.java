package dev.ebb.cuda.text;

/** Builds source text line by line, indented by its braces. */
public final class SourceLines {
    private final StringBuilder text = new StringBuilder();
    private int depth;

    /** Adds a line; one that ends in a brace opens a block. */
    public SourceLines add(String line) {
        if (line.startsWith("}")) depth--;
        if (!line.startsWith("#")) text.repeat("    ", depth);
        text.append(line).append('\n');
        if (line.endsWith("{")) depth++;
        return this;
    }

    public SourceLines add(String format, Object... values) {
        return add(String.format(java.util.Locale.ROOT, format, values));
    }

    /** A compile-time constant, a member of a struct. */
    public SourceLines constant(String name, int value) {
        return add("static const int %s = %d;", name, value);
    }

    public SourceLines open(String format, Object... values) {
        return add(String.format(java.util.Locale.ROOT, format, values) + " {");
    }

    public SourceLines close() {
        return add("}");
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
