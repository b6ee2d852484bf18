package dev.ebb.nn.onnx;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.util.Arrays;
import java.util.List;

/**
 * What flows between ops: a tensor, or whole numbers that are known while the model is traced, as
 * shapes are.
 */
sealed interface Datum {
    Tensor tensor();

    Shape shape();

    record Live(Tensor tensor) implements Datum {
        @Override
        public Shape shape() {
            return tensor.shape();
        }
    }

    /** Known numbers of rank zero or one. */
    record Known(Shape shape, List<Long> numbers) implements Datum {
        static Known of(long... numbers) {
            return new Known(Shape.of(numbers.length), Arrays.stream(numbers).boxed().toList());
        }

        @Override
        public Tensor tensor() {
            return Array.of(shape, numbers.stream().mapToLong(Long::longValue).toArray());
        }
    }

    static Datum of(Tensor tensor) {
        return new Live(tensor);
    }

    /** Initialisers of whole numbers and of rank one at most are known; others are tensors. */
    static Datum of(Array array) {
        boolean whole = array.dtype() == DType.I64 || array.dtype() == DType.I32;
        if (!whole || array.rank() > 1) return new Live(array);
        var numbers = new Long[Math.toIntExact(array.type().size())];
        for (int i = 0; i < numbers.length; i++) numbers[i] = array.data().getLong(i);
        return new Known(array.shape(), List.of(numbers));
    }
}
