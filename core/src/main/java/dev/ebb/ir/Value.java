package dev.ebb.ir;

/** A name that is assigned once. */
public record Value(int id, Type type) {
    @Override
    public int hashCode() {
        return id;
    }

    @Override
    public String toString() {
        return "%" + id;
    }
}
