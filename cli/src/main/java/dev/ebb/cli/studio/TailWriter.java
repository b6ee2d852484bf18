package dev.ebb.cli.studio;

import java.io.Writer;

/** Keeps the last characters written to it. */
final class TailWriter extends Writer {
    private static final int MOST = 1 << 13;

    private final StringBuilder text = new StringBuilder();

    @Override
    public void write(char[] chars, int from, int count) {
        synchronized (text) {
            text.append(chars, from, count);
            if (text.length() > 2 * MOST) text.delete(0, text.length() - MOST);
        }
    }

    @Override
    public String toString() {
        synchronized (text) {
            return text.substring(Math.max(0, text.length() - MOST));
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}
