package dev.ebb.ir;

/** The element type and the shape of a tensor: all that is known of it before it has data. */
public record Type(DType dtype, Shape shape) {

    public static Type of(DType dtype, int... dims) {
        return new Type(dtype, Shape.of(dims));
    }

    public Type with(Shape other) {
        return new Type(dtype, other);
    }

    public Type with(DType other) {
        return new Type(other, shape);
    }

    public long size() {
        return shape.size();
    }

    public long bytes() {
        return dtype.bytes(shape.size());
    }

    @Override
    public String toString() {
        return dtype + shape.toString();
    }
}
