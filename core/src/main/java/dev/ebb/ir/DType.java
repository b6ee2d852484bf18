package dev.ebb.ir;

/** The element types. Sixteen-bit floats are stored in two bytes and computed in {@link #F32}. */
public enum DType {
    F32("f32", 32),
    F64("f64", 64),
    BF16("bf16", 16),
    F16("f16", 16),
    I32("i32", 32),
    I64("i64", 64),
    U8("u8", 8),
    BOOL("bool", 8),
    /**
     * A truth value in one bit, as derivatives keep the results of comparisons. Only elementwise
     * kernels read or write it.
     */
    BIT("bit", 1);

    private final String label;
    private final int bits;

    DType(String label, int bits) {
        this.label = label;
        this.bits = bits;
    }

    /** The bytes that {@code elements} of this type take. */
    public long bytes(long elements) {
        return bits >= 8 ? Math.multiplyExact(elements, bits / 8) : Math.addExact(elements, 7) / 8;
    }

    public boolean isFloat() {
        return switch (this) {
            case F32, F64, BF16, F16 -> true;
            case I32, I64, U8, BOOL, BIT -> false;
        };
    }

    public boolean isInteger() {
        return switch (this) {
            case I32, I64, U8 -> true;
            case F32, F64, BF16, F16, BOOL, BIT -> false;
        };
    }

    public boolean isTruth() {
        return this == BOOL || this == BIT;
    }

    /**
     * The type in which a kernel computes on elements of this type: one of F32, F64, I32, I64,
     * BOOL.
     */
    public DType compute() {
        return switch (this) {
            case F32, BF16, F16 -> F32;
            case F64 -> F64;
            case I32, U8 -> I32;
            case I64 -> I64;
            case BOOL, BIT -> BOOL;
        };
    }

    @Override
    public String toString() {
        return label;
    }
}
