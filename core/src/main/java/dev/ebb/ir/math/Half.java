package dev.ebb.ir.math;

/** Brain floats: the upper half of an F32, rounded half to even. */
public final class Half {
    private Half() {}

    public static short toBf16(float x) {
        int bits = Float.floatToRawIntBits(x);
        if (Float.isNaN(x)) return (short) (bits >>> 16 | 0x40);
        return (short) ((bits + 0x7fff + (bits >>> 16 & 1)) >>> 16);
    }

    public static float fromBf16(short bits) {
        return Float.intBitsToFloat(bits << 16);
    }
}
