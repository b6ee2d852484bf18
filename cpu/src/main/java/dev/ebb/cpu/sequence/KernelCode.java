package dev.ebb.cpu.sequence;

import dev.ebb.cpu.tile.OperationList;
import dev.ebb.cpu.tile.StoredType;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.RowParts;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Emits an unrolled kernel, element by element. */
record KernelCode(ScalarCode code) {
    /** Element {@code position}, in row-major order of {@code shape}, of a view. */
    static long at(View view, Shape shape, long position) {
        long at = view.offset();
        long left = position;
        for (int d = shape.rank() - 1; d >= 0; d--) {
            at += left % shape.dim(d) * view.stride(d);
            left /= shape.dim(d);
        }
        return at;
    }

    private static int index(Shape shape, int axis, long position) {
        long left = position;
        for (int d = shape.rank() - 1; d > axis; d--) left /= shape.dim(d);
        return (int) (left % shape.dim(axis));
    }

    /** The values of the bodies at a position. */
    private List<Operand> evaluate(
            OperationList line, Shape shape, long position, InputElements args) {
        var values = new ArrayList<Operand>();
        for (var operation : line.operations()) {
            var from = operation.from().stream().map(values::get).toList();
            values.add(
                    switch (operation.form()) {
                        case Scalar.Arg(int i) -> args.element(i, position);
                        case Scalar.Lit(var type, double value) -> Operand.constant(type, value);
                        case Scalar.Index(int axis) ->
                                Operand.constant(DType.I32, index(shape, axis, position));
                        case Scalar.Position() -> Operand.constant(DType.I64, (double) position);
                        case Scalar.Un(var fn, _) -> code.apply(fn, from.getFirst());
                        case Scalar.Bin(var fn, _, _) -> code.apply(fn, from.get(0), from.get(1));
                        case Scalar.Select _ -> code.select(from.get(0), from.get(1), from.get(2));
                        case Scalar.Cast(var to, _) -> code.cast(to, from.getFirst());
                        case Scalar.Draw _ -> code.draw(from.get(0), from.get(1));
                    });
        }
        return line.results().stream().map(values::get).toList();
    }

    /** The elements of each output. */
    List<List<Operand>> write(
            Kernel kernel, List<DType> in, List<DType> out, InputElements inputs) {
        return switch (kernel) {
            case Kernel.Map k -> map(k, in, out, inputs);
            case Kernel.Fold k -> List.of(fold(k, in, inputs));
            case Kernel.Rows k -> List.of(rows(k, in, out.getFirst(), inputs));
            case Kernel.Contract k -> List.of(contract(k, in, out.getFirst(), inputs));
            case Kernel.Assemble k -> List.of(assemble(k, out.getFirst(), inputs));
            case Kernel.Cut k -> cut(k, inputs);
            default -> throw new IllegalArgumentException("no code for " + kernel);
        };
    }

    private static InputElements through(List<View> views, Shape shape, InputElements inputs) {
        return (i, position) -> inputs.element(i, at(views.get(i), shape, position));
    }

    private List<List<Operand>> map(
            Kernel.Map k, List<DType> in, List<DType> out, InputElements inputs) {
        var bodies = new ArrayList<Scalar>();
        for (int j = 0; j < k.bodies().size(); j++)
            bodies.add(StoredType.as(k.bodies().get(j), in, out.get(j)));
        var line = OperationList.of(bodies, in);
        var all = new ArrayList<List<Operand>>();
        for (int j = 0; j < bodies.size(); j++) all.add(new ArrayList<>());
        var args = through(k.operands(), k.shape(), inputs);
        for (long p = 0; p < k.shape().size(); p++) {
            var values = evaluate(line, k.shape(), p, args);
            for (int j = 0; j < values.size(); j++) all.get(j).add(values.get(j));
        }
        return all;
    }

    private List<Operand> fold(Kernel.Fold k, List<DType> in, InputElements inputs) {
        var line = OperationList.of(List.of(k.body()), in);
        var args = through(k.operands(), k.shape(), inputs);
        return new FoldOrder(code, k.combine(), k.body().type(in))
                .all(k.shape(), k.axes(), p -> evaluate(line, k.shape(), p, args).getFirst());
    }

    private List<Operand> rows(Kernel.Rows k, List<DType> in, DType out, InputElements inputs) {
        var types = k.types(in);
        int width = (int) k.width();
        var numbers = new ArrayList<List<Operand>>();
        for (long r = 0; r < k.outer().size(); r++)
            numbers.add(numbers(k, types, in.size(), r, inputs));
        InputElements args =
                (i, position) ->
                        i < in.size()
                                ? inputs.element(i, at(k.operands().get(i), k.shape(), position))
                                : numbers.get((int) (position / width)).get(i - in.size());
        return switch (k.result()) {
            case RowParts.RowNumber(int index) -> numbers.stream().map(n -> n.get(index)).toList();
            case RowParts.Elements(var body) -> {
                var line = OperationList.of(List.of(StoredType.as(body, types, out)), types);
                var all = new ArrayList<Operand>();
                for (long p = 0; p < k.shape().size(); p++)
                    all.add(evaluate(line, k.shape(), p, args).getFirst());
                yield all;
            }
            case RowParts.Columns(var combine, var body) -> {
                var line = OperationList.of(List.of(body), types);
                var axes = new ArrayList<Integer>();
                for (int d = 0; d < k.leading(); d++) axes.add(d);
                yield new FoldOrder(code, combine, body.type(types))
                        .all(k.shape(), axes, p -> evaluate(line, k.shape(), p, args).getFirst());
            }
        };
    }

    /** The per-row scalars of a rows kernel. */
    private List<Operand> numbers(
            Kernel.Rows k, List<DType> types, int operands, long row, InputElements inputs) {
        int width = (int) k.width();
        var numbers = new ArrayList<Operand>();
        for (var number : k.numbers()) {
            var line = OperationList.of(List.of(number.body()), types);
            numbers.add(
                    switch (number) {
                        case RowParts.Fold(var combine, var body) ->
                                new FoldOrder(code, combine, body.type(types))
                                        .row(
                                                row * width,
                                                width,
                                                p ->
                                                        evaluate(
                                                                        line,
                                                                        k.shape(),
                                                                        p,
                                                                        row(
                                                                                k, operands,
                                                                                numbers, inputs))
                                                                .getFirst());
                        case RowParts.Apply _ ->
                                evaluate(
                                                line,
                                                k.outer(),
                                                row,
                                                (i, r) ->
                                                        row(k, operands, numbers, inputs)
                                                                .element(i, r * width))
                                        .getFirst();
                    });
        }
        return numbers;
    }

    private static InputElements row(
            Kernel.Rows k, int operands, List<Operand> numbers, InputElements inputs) {
        return (i, position) ->
                i < operands
                        ? inputs.element(i, at(k.operands().get(i), k.shape(), position))
                        : numbers.get(i - operands);
    }

    private List<Operand> contract(
            Kernel.Contract k, List<DType> in, DType out, InputElements inputs) {
        var type = in.getFirst().compute();
        var types = new ArrayList<>(List.of(type));
        types.addAll(in.subList(2, in.size()));
        var line = OperationList.of(List.of(StoredType.as(k.epilogue(), types, out)), types);
        var left = k.batch().append(k.m(), k.k());
        var right = k.batch().append(k.k(), k.n());
        var whole = k.shape();
        var all = new ArrayList<Operand>();
        for (long p = 0; p < whole.size(); p++) {
            long matrix = p / ((long) k.m() * k.n());
            long i = p / k.n() % k.m();
            long j = p % k.n();
            var sum = Operand.constant(type, 0);
            for (int d = 0; d < k.k(); d++) {
                var x = inputs.element(0, at(k.a(), left, (matrix * k.m() + i) * k.k() + d));
                var y = inputs.element(1, at(k.b(), right, (matrix * k.k() + d) * k.n() + j));
                sum = code.fma(x, y, sum);
            }
            var total = sum;
            InputElements args =
                    (a, position) ->
                            a == 0
                                    ? total
                                    : inputs.element(
                                            a + 1, at(k.extras().get(a - 1), whole, position));
            all.add(evaluate(line, whole, p, args).getFirst());
        }
        return all;
    }

    private static List<Operand> assemble(Kernel.Assemble k, DType out, InputElements inputs) {
        var fill = Operand.constant(out.compute(), k.fill());
        var all = new ArrayList<>(Collections.nCopies((int) k.shape().size(), fill));
        for (int i = 0; i < k.parts().size(); i++) {
            var part = k.parts().get(i);
            var to = part.in(k.shape());
            for (long p = 0; p < part.shape().size(); p++)
                all.set((int) at(to, part.shape(), p), inputs.element(i, p));
        }
        return all;
    }

    private static List<List<Operand>> cut(Kernel.Cut k, InputElements inputs) {
        var all = new ArrayList<List<Operand>>();
        for (int j = 0; j < k.sizes().size(); j++) {
            var out = new ArrayList<Operand>();
            for (long p = 0; p < k.shape(j).size(); p++)
                out.add(inputs.element(0, at(k.view(j), k.shape(j), p)));
            all.add(out);
        }
        return all;
    }
}
