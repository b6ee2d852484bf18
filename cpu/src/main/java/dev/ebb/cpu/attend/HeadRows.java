package dev.ebb.cpu.attend;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.View;

import java.util.List;

/**
 * A tensor of [batch, heads, rows, width] wherever it lies, its rows found by their head, counted
 * through the batch, and their number.
 */
record HeadRows(Buffer buffer, int heads, long offset, long batch, long head, long row) {

    static HeadRows of(Buffer buffer, View view, int heads) {
        return new HeadRows(
                buffer, heads, view.offset(), view.stride(0), view.stride(1), view.stride(2));
    }

    static HeadRows of(List<Buffer> outputs, Kernel.Place place, int heads) {
        return of(outputs.get(place.output()), place.view(), heads);
    }

    /** The first element of a row. */
    long at(int number, int index) {
        return offset + number / heads * batch + number % heads * head + index * row;
    }
}
