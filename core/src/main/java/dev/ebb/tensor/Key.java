package dev.ebb.tensor;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;

import java.util.ArrayList;
import java.util.List;

/**
 * A key for random numbers. The same key always draws the same numbers, so a random mask need not
 * be kept. For other numbers derive another key, per step with {@link #fold} and per draw within a
 * step with {@link #split}.
 */
public record Key(Tensor bits) {

    public Key {
        if (!bits.type().equals(Type.of(DType.I64))) {
            throw new ShapeException(
                    "a key is one i64, not " + bits.type() + "; Key.of(seed) makes one");
        }
    }

    public static Key of(long seed) {
        return new Key(Array.scalar(seed));
    }

    /** A key for the number {@code data}: a step, a layer, a worker. */
    public Key fold(long data) {
        return fold(Array.scalar(data));
    }

    /** A key for a number that is itself a value of the program, such as a step counter. */
    public Key fold(Tensor data) {
        if (data.rank() != 0 || !data.dtype().isInteger()) {
            throw new ShapeException("fold: " + data.type() + " is not one integer");
        }
        return derived(Draws.Purpose.FOLD, data.cast(DType.I64));
    }

    /** As many keys as asked for, unlike each other and unlike any that is folded. */
    public List<Key> split(int count) {
        var keys = new ArrayList<Key>();
        for (int i = 0; i < count; i++) {
            keys.add(derived(Draws.Purpose.SPLIT, bits.literal(i)));
        }
        return keys;
    }

    private Key derived(Draws.Purpose purpose, Tensor data) {
        return new Key(bits.apply(new Draws.Derive(purpose), data));
    }

    /** Sixty-four random bits an element, as i64. */
    public Tensor bits(Shape shape) {
        return bits.apply(new Draws.Bits(shape));
    }

    /** Numbers from 0 on and below 1. */
    public Tensor uniform(Type type) {
        return bits.apply(new Draws.Uniform(type));
    }

    /** Numbers of mean 0 and variance 1. */
    public Tensor normal(Type type) {
        return bits.apply(new Draws.Normal(type));
    }

    /** Numbers of the standard normal distribution, given that they lie between two bounds. */
    public Tensor truncatedNormal(Type type, double low, double high) {
        return bits.apply(new Draws.Truncated(type, low, high));
    }

    /** Truth values that hold with probability {@code p}. */
    public Tensor bernoulli(Shape shape, double p) {
        return bits.apply(new Draws.Bernoulli(shape, p));
    }

    /** The numbers 0 to {@code size - 1} in random order. */
    public Tensor permutation(int size) {
        return bits(Shape.of(size)).argsort(0, false);
    }

    public Tensor dropout(Tensor x, double p) {
        return p == 0 ? x : x.apply(new Draws.Dropout(p), bits);
    }
}
