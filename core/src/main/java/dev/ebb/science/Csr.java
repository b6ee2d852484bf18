package dev.ebb.science;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.Arrays;

/**
 * A sparse matrix in compressed rows: entry {@code k} of row {@code i}, for {@code starts[i] <= k <
 * starts[i + 1]}, is {@code values[k]} in column {@code columns[k]}; equal places add up. A tree of
 * tensors like any record: the pattern is of integers, derivatives flow to the values. Products
 * gather, multiply and add in the order of the entries, so their bits are always the same.
 *
 * @param width how many columns there are
 */
public record Csr(Tensor starts, Tensor columns, Tensor values, int width) {

    public Csr {
        boolean whole = starts.dtype().isInteger() && columns.dtype().isInteger();
        if (!whole
                || starts.rank() != 1
                || starts.dim(0) < 1
                || columns.rank() != 1
                || width < 0
                || !values.shape().equals(columns.shape())) {
            throw new ShapeException(
                    ("Csr of starts %s, columns %s and values %s; it needs vectors of integers, one"
                         + " start more than there are rows, and a value for each column index")
                            .formatted(starts.type(), columns.type(), values.type()));
        }
        Floats.require("Csr", values);
    }

    /** A matrix of numbers, its rows one after the other. */
    public static Csr of(int width, int[] starts, int[] columns, double... values) {
        if (starts.length == 0 || starts[0] != 0 || starts[starts.length - 1] != columns.length) {
            throw new ShapeException(
                    ("Csr: starts %s for %s entries; they begin with 0 and end with the number of"
                                    + " entries")
                            .formatted(Arrays.toString(starts), columns.length));
        }
        return new Csr(Array.of(starts), Array.of(columns), Array.of(values), width);
    }

    /** The number of rows. */
    public int height() {
        return starts.dim(0) - 1;
    }

    /** The row of each entry. */
    public Tensor rows() {
        var each = Tensors.iota(starts.dtype(), columns.shape(), 0);
        return Search.sorted(starts, each, Search.Side.RIGHT).sub(1);
    }

    /** The matrix times a vector, or times each column of a matrix. */
    public Tensor multiply(Tensor x) {
        return product(columns, rows(), width, height(), x);
    }

    /** The transpose of the matrix times a vector, or times each column of a matrix. */
    public Tensor multiplyTransposed(Tensor x) {
        return product(rows(), columns, height(), width, x);
    }

    private Tensor product(Tensor from, Tensor to, int many, int few, Tensor x) {
        Floats.alike("Csr.multiply", values, x);
        if (x.rank() < 1 || x.rank() > 2 || x.dim(0) != many) {
            throw new ShapeException(
                    "Csr.multiply: a matrix of [%d, %d] and %s; the operand needs %d rows"
                            .formatted(height(), width, x.type(), many));
        }
        boolean vector = x.rank() == 1;
        var terms = x.indexSelect(0, from).mul(vector ? values : values.unsqueeze(1));
        var shape = vector ? Shape.of(few) : Shape.of(few, x.dim(1));
        return Tensors.zeros(x.dtype(), shape).indexAdd(0, to, terms);
    }

    /** The transpose, entries of a column in the order of their rows. */
    public Csr transposed() {
        var order = columns.argsort(0, false);
        var sorted = columns.indexSelect(0, order);
        var each = Tensors.iota(sorted.dtype(), Shape.of(width + 1), 0);
        return new Csr(
                Search.sorted(sorted, each, Search.Side.LEFT),
                rows().indexSelect(0, order),
                values.indexSelect(0, order),
                height());
    }

    /** All elements, zeros too. */
    public Tensor toDense() {
        var places = rows().cast(DType.I64).mul(width).add(columns.cast(DType.I64));
        var flat = Tensors.zeros(values.dtype(), height() * width);
        return flat.indexAdd(0, places, values).reshape(height(), width);
    }
}
