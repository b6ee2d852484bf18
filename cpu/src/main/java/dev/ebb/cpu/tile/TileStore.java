package dev.ebb.cpu.tile;

import static dev.ebb.cpu.tile.RunLoads.BYTE;
import static dev.ebb.cpu.tile.RunLoads.DOUBLE;
import static dev.ebb.cpu.tile.RunLoads.FLOAT;
import static dev.ebb.cpu.tile.RunLoads.INT;
import static dev.ebb.cpu.tile.RunLoads.LONG;
import static dev.ebb.cpu.tile.RunLoads.SHORT;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.math.Half;

import java.lang.foreign.MemorySegment;

/**
 * Writes a register to consecutive elements of a buffer, the first at the position of the tile.
 * Bits are written in whole bytes, so a tile of bits must start at a multiple of eight.
 */
public final class TileStore implements TileStep {
    private final DType dtype;
    private final MemorySegment segment;
    private final int from;

    /**
     * Stores the register that starts at {@code from} in the array of the buffer's compute type.
     */
    public TileStore(Buffer buffer, int from) {
        dtype = buffer.dtype();
        segment = buffer.segment();
        this.from = from;
    }

    @Override
    public void run(Tile t, long position, int n) {
        switch (dtype) {
            case F32 -> MemorySegment.copy(t.f32, from, segment, FLOAT, position * 4, n);
            case F64 -> MemorySegment.copy(t.f64, from, segment, DOUBLE, position * 8, n);
            case I32 -> MemorySegment.copy(t.i32, from, segment, INT, position * 4, n);
            case I64 -> MemorySegment.copy(t.i64, from, segment, LONG, position * 8, n);
            case BF16 -> {
                toBf16(t.f32, from, t.halves, n);
                MemorySegment.copy(t.halves, 0, segment, SHORT, position * 2, n);
            }
            case F16 -> {
                toF16(t.f32, from, t.halves, n);
                MemorySegment.copy(t.halves, 0, segment, SHORT, position * 2, n);
            }
            case U8, BOOL -> {
                toBytes(t.i32, from, t.bytes, n);
                MemorySegment.copy(t.bytes, 0, segment, BYTE, position, n);
            }
            case BIT -> {
                toBits(t.i32, from, t.bytes, n);
                MemorySegment.copy(t.bytes, 0, segment, BYTE, position >> 3, (n + 7) >> 3);
            }
        }
    }

    private static void toBf16(float[] r, int a, short[] h, int n) {
        for (int i = 0; i < n; i++) h[i] = Half.toBf16(r[a + i]);
    }

    private static void toF16(float[] r, int a, short[] h, int n) {
        for (int i = 0; i < n; i++) h[i] = Float.floatToFloat16(r[a + i]);
    }

    private static void toBytes(int[] r, int a, byte[] b, int n) {
        for (int i = 0; i < n; i++) b[i] = (byte) r[a + i];
    }

    private static void toBits(int[] r, int a, byte[] b, int n) {
        for (int i = 0; i < n; i += 8) {
            int bits = 0;
            int most = Math.min(8, n - i);
            for (int j = 0; j < most; j++) bits |= r[a + i + j] << j;
            b[i >> 3] = (byte) bits;
        }
    }
}
