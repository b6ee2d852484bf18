package dev.ebb.plan.cache;

import dev.ebb.ir.math.Sha256;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;

/**
 * Makes the key of a result in a {@link SearchCache}: a digest of the numbers a search starts from,
 * and of the compiled classes that search, so that another version of them has other keys.
 */
public final class SearchKey {
    private final MessageDigest digest;
    private final ByteBuffer buffer = ByteBuffer.allocate(4096);

    /** The key of a search by classes with this {@link #code}. */
    public SearchKey(byte[] code) {
        digest = Sha256.start();
        digest.update(code);
    }

    /** A digest of the compiled code of these classes, nested ones included. */
    public static byte[] code(Class<?>... searching) {
        var all = Sha256.start();
        for (var type : searching)
            for (var member : type.getNestMembers()) all.update(code(member));
        return all.digest();
    }

    private static byte[] code(Class<?> type) {
        var file = type.getName().substring(type.getPackageName().length() + 1) + ".class";
        try (var in = type.getResourceAsStream(file)) {
            // a class generated at run time has no file: only its name can be used
            return in == null ? type.getName().getBytes(StandardCharsets.UTF_8) : in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + type, e);
        }
    }

    public SearchKey put(long number) {
        if (buffer.remaining() < Long.BYTES) flush();
        buffer.putLong(number);
        return this;
    }

    public SearchKey put(double number) {
        return put(Double.doubleToLongBits(number));
    }

    public SearchKey put(String text) {
        put(text.length());
        for (int i = 0; i < text.length(); i++) put(text.charAt(i));
        return this;
    }

    public SearchKey put(int... numbers) {
        put((long) numbers.length);
        for (int n : numbers) put((long) n);
        return this;
    }

    public SearchKey put(long... numbers) {
        put((long) numbers.length);
        for (long n : numbers) put(n);
        return this;
    }

    public SearchKey put(double... numbers) {
        put((long) numbers.length);
        for (double n : numbers) put(n);
        return this;
    }

    public SearchKey put(boolean... flags) {
        put((long) flags.length);
        for (boolean f : flags) put(f ? 1L : 0L);
        return this;
    }

    public SearchKey put(int[][] lists) {
        put((long) lists.length);
        for (int[] list : lists) put(list);
        return this;
    }

    private void flush() {
        digest.update(buffer.flip());
        buffer.clear();
    }

    /** The key: 64 hexadecimal digits. */
    public String text() {
        flush();
        return HexFormat.of().formatHex(digest.digest());
    }
}
