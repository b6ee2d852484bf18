package dev.ebb.cpu.attend;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.View;

import java.util.List;

/**
 * The rows of a tensor [batch, heads, rows, width] with any strides. A row is identified by its
 * head, numbered through the whole batch, and by its index in the head.
 */
record HeadRows(Buffer buffer, int heads, long offset, long batch, long head, long row) {

    static HeadRows of(Buffer buffer, View view, int heads) {
        return new HeadRows(
                buffer, heads, view.offset(), view.stride(0), view.stride(1), view.stride(2));
    }

    static HeadRows of(List<Buffer> outputs, Kernel.Place place, int heads) {
        return of(outputs.get(place.output()), place.view(), heads);
    }

    /** The index of the first element of row {@code index} of head {@code number}. */
    long at(int number, int index) {
        return offset + number / heads * batch + number % heads * head + index * row;
    }
}
