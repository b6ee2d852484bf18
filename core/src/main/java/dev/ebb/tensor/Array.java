package dev.ebb.tensor;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * A tensor with data. It copies the data it is made from and is immutable, so any thread may read
 * it. An array that was donated to a compiled function can no longer be read.
 */
public final class Array implements Tensor {
    private static final long MOST_WORDS = Integer.MAX_VALUE - 8;

    private final Type type;

    /** The memory, which begins with the elements; arrays of zeros may share it. */
    private final long[] words;

    /** The elements, created when needed; writable only while the array is filled. */
    private @Nullable Buffer data;

    /** A read-only view of the elements, created when it is first needed. */
    private @Nullable Buffer shown;

    /** Whether its memory was given to another array. */
    private volatile boolean donated;

    private Array(Type type, long[] words, @Nullable Buffer data) {
        this.type = type;
        this.words = words;
        this.data = data;
    }

    private static Buffer buffer(Type type, long[] words) {
        return new Buffer(type.dtype(), type.size(), MemorySegment.ofArray(words));
    }

    /** An array of {@code type} whose buffer is filled by {@code fill} before anyone sees it. */
    public static Array make(Type type, java.util.function.Consumer<Buffer> fill) {
        var words = memory(type);
        var data = buffer(type, words);
        fill.accept(data);
        return new Array(type, words, data);
    }

    /** Arrays of these types whose buffers are all filled by {@code fill}. */
    public static List<Array> make(
            List<Type> types, java.util.function.Consumer<List<Buffer>> fill) {
        var all = new ArrayList<Array>();
        for (Type type : types) all.add(new Array(type, memory(type), null));
        fill.accept(all.stream().map(Array::live).toList());
        return all;
    }

    /** Arrays of zeros, which all share the memory of the largest. */
    public static List<Array> zeros(List<Type> types) {
        if (types.isEmpty()) return List.of();
        var words = memory(Collections.max(types, Comparator.comparingLong(Type::bytes)));
        var memory = MemorySegment.ofArray(words);
        var all = new ArrayList<Array>();
        for (Type type : types) {
            var part = memory.asSlice(0, Math.ceilDiv(type.bytes(), 8) * 8).asReadOnly();
            all.add(new Array(type, words, new Buffer(type.dtype(), type.size(), part)));
        }
        return all;
    }

    /**
     * An array of the type of {@code old} in its memory; {@code old} can no longer be read. If
     * other arrays share that memory, the new array gets memory of its own.
     */
    public static Array replacing(Array old, java.util.function.Consumer<Buffer> fill) {
        var data = old.live();
        old.donate();
        if (data.segment().isReadOnly()) return make(old.type, fill);
        fill.accept(data);
        return new Array(old.type, old.words, data);
    }

    /** Declares that this array will not be read again. */
    public void donate() {
        donated = true;
    }

    private Buffer live() {
        requireLive();
        var known = data;
        if (known == null) {
            known = buffer(type, words);
            data = known;
        }
        return known;
    }

    private void requireLive() {
        if (donated) {
            throw new IllegalStateException(
                    "this array of "
                            + type
                            + " was donated to a compiled function, whose result may lie in its"
                            + " memory; use the result, or do not donate this argument");
        }
    }

    private static long[] memory(Type type) {
        long words = Math.ceilDiv(type.bytes(), 8);
        if (words > MOST_WORDS) {
            throw new ShapeException(
                    "an array of %s takes %s bytes, and a Java array holds at most %s; split it"
                            .formatted(type, type.bytes(), 8 * MOST_WORDS));
        }
        return new long[(int) words];
    }

    /** A copy of {@code source}, read as {@code shape}. */
    public static Array copy(Shape shape, Buffer source) {
        return copy(new Type(source.dtype(), shape), source.size(), source.segment());
    }

    private static Array copy(Type type, long elements, MemorySegment source) {
        require(type, elements);
        return make(type, b -> MemorySegment.copy(source, 0, b.segment(), 0, type.bytes()));
    }

    public static Array of(Shape shape, float... data) {
        return copy(new Type(DType.F32, shape), data.length, MemorySegment.ofArray(data));
    }

    public static Array of(Shape shape, double... data) {
        return copy(new Type(DType.F64, shape), data.length, MemorySegment.ofArray(data));
    }

    /** Whole numbers, I64 as all that are made or found: by argmax, sums of integers, long. */
    public static Array of(Shape shape, int... data) {
        return of(shape, Arrays.stream(data).asLongStream().toArray());
    }

    public static Array of(Shape shape, long... data) {
        return copy(new Type(DType.I64, shape), data.length, MemorySegment.ofArray(data));
    }

    public static Array of(Shape shape, boolean... data) {
        var type = new Type(DType.BOOL, shape);
        require(type, data.length);
        return make(
                type,
                b -> {
                    for (int i = 0; i < data.length; i++) b.setLong(i, data[i] ? 1 : 0);
                });
    }

    /** A vector. */
    public static Array of(float... data) {
        return of(Shape.of(data.length), data);
    }

    /** A vector. */
    public static Array of(double... data) {
        return of(Shape.of(data.length), data);
    }

    /** A vector of whole numbers, I64 as all that are made or found. */
    public static Array of(int... data) {
        return of(Shape.of(data.length), data);
    }

    /** A vector. */
    public static Array of(long... data) {
        return of(Shape.of(data.length), data);
    }

    /** A vector. */
    public static Array of(boolean... data) {
        return of(Shape.of(data.length), data);
    }

    /** A matrix of the rows given, which must be equally long. */
    public static Array of(float[][] rows) {
        int width = width(rows.length, i -> rows[i].length);
        return make(
                Type.of(DType.F32, rows.length, width),
                b -> {
                    for (int i = 0; i < rows.length; i++)
                        for (int j = 0; j < width; j++) b.set((long) i * width + j, rows[i][j]);
                });
    }

    /** A matrix of the rows given, which must be equally long. */
    public static Array of(double[][] rows) {
        int width = width(rows.length, i -> rows[i].length);
        return make(
                Type.of(DType.F64, rows.length, width),
                b -> {
                    for (int i = 0; i < rows.length; i++)
                        for (int j = 0; j < width; j++) b.set((long) i * width + j, rows[i][j]);
                });
    }

    /** A matrix of whole numbers, I64, of the rows given, which must be equally long. */
    public static Array of(int[][] rows) {
        int width = width(rows.length, i -> rows[i].length);
        return make(
                Type.of(DType.I64, rows.length, width),
                b -> {
                    for (int i = 0; i < rows.length; i++)
                        for (int j = 0; j < width; j++) b.setLong((long) i * width + j, rows[i][j]);
                });
    }

    private static int width(int rows, IntUnaryOperator length) {
        if (rows == 0) return 0;
        int width = length.applyAsInt(0);
        for (int i = 1; i < rows; i++) {
            if (length.applyAsInt(i) != width) {
                throw new ShapeException(
                        ("row 0 has %s elements and row %s has %s; the rows of a matrix are equally"
                                        + " long")
                                .formatted(width, i, length.applyAsInt(i)));
            }
        }
        return width;
    }

    public static Array scalar(float x) {
        return of(Shape.scalar(), x);
    }

    public static Array scalar(double x) {
        return of(Shape.scalar(), x);
    }

    public static Array scalar(long x) {
        return of(Shape.scalar(), x);
    }

    /** An array of any type from doubles, each rounded to the nearest that the type holds. */
    public static Array of(Type type, double... data) {
        require(type, data.length);
        return make(
                type,
                b -> {
                    for (int i = 0; i < data.length; i++) b.set(i, data[i]);
                });
    }

    /** An array of F64 of the elements of {@code data} from {@code at} on. */
    public static Array of(Type type, double[] data, int at) {
        requireDoubles(type);
        var words = memory(type);
        for (int i = 0; i < words.length; i++) words[i] = Double.doubleToRawLongBits(data[at + i]);
        return new Array(type, words, null);
    }

    /** Copies elements of F64 to {@code into}, from {@code at} on. */
    public void copyTo(double[] into, int at) {
        requireDoubles(type);
        requireLive();
        int size = (int) type.size();
        for (int i = 0; i < size; i++) into[at + i] = Double.longBitsToDouble(words[i]);
    }

    private static void requireDoubles(Type type) {
        if (type.dtype() != DType.F64)
            throw new ShapeException("doubles of an array of " + type + "; cast it to F64");
    }

    private static void require(Type type, long elements) {
        if (type.size() != elements) {
            throw new ShapeException(
                    elements + " elements given for " + type + ", which holds " + type.size());
        }
    }

    @Override
    public Type type() {
        return type;
    }

    /** The elements, read only. */
    public Buffer data() {
        var data = live();
        var known = shown;
        if (known == null) {
            known = new Buffer(type.dtype(), type.size(), data.segment().asReadOnly());
            shown = known;
        }
        return known;
    }

    float[] floats() {
        var data = live();
        if (type.dtype() == DType.F32) {
            var all = data.segment().asSlice(0, type.bytes());
            return all.toArray(ValueLayout.JAVA_FLOAT_UNALIGNED);
        }
        var out = new float[Math.toIntExact(type.size())];
        for (int i = 0; i < out.length; i++) out[i] = (float) data.get(i);
        return out;
    }

    boolean equalBits(Array other) {
        return type.equals(other.type)
                && live().segment()
                                .asSlice(0, type.bytes())
                                .mismatch(other.live().segment().asSlice(0, type.bytes()))
                        < 0;
    }

    @Override
    public String toString() {
        return donated ? type + " (donated)" : type + Print.elements(this);
    }
}
