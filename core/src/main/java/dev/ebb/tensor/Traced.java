package dev.ebb.tensor;

import dev.ebb.ir.Type;
import dev.ebb.ir.Value;

/** A tensor inside a function that is being traced: it has a type but no data. */
public record Traced(Recording owner, Value value) implements Tensor {

    @Override
    public Type type() {
        return value.type();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Traced(var o, var v) && o == owner && v.equals(value);
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }

    @Override
    public String toString() {
        return value + ":" + type();
    }
}
