package dev.ebb.pass;

import dev.ebb.ir.DType;
import dev.ebb.ir.RowParts;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Table;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.List;

/**
 * Brings the numbers of a {@link dev.ebb.ir.Kernel.Rows} into their final order. An expensive
 * subexpression that is constant along a row becomes a number of its own: the logarithm of a sum is
 * then computed once per row, not once per element.
 */
final class RowHoist {
    /** The fewest instructions per element that a hoisted subexpression must save. */
    private static final int WORTHWHILE = 4;

    private final int operands;
    private final List<Boolean> steady;
    private final int base;
    private final List<DType> types = new ArrayList<>();
    private final List<RowParts.RowValue> numbers = new ArrayList<>();
    private final List<Integer> places = new ArrayList<>();
    private final Table<Scalar, Scalar> known = new Table<>();

    /**
     * @param steady which of {@code inputs} are constant along a row
     * @param base the index of the argument that stands for number 0
     */
    RowHoist(List<Value> inputs, List<Boolean> steady, int base) {
        operands = inputs.size();
        this.steady = steady;
        this.base = base;
        inputs.forEach(v -> types.add(v.type().dtype()));
    }

    List<RowParts.RowValue> numbers() {
        return numbers;
    }

    void add(RowParts.RowValue number) {
        var body = settled(number.body());
        places.add(
                put(
                        switch (number) {
                            case RowParts.Fold(var combine, _) ->
                                    new RowParts.Fold(combine, hoisted(body));
                            case RowParts.Apply _ -> new RowParts.Apply(body);
                        }));
    }

    RowParts.Result result(RowParts.Result result) {
        return switch (result) {
            case RowParts.Elements(var body) -> new RowParts.Elements(hoisted(settled(body)));
            case RowParts.RowNumber(int index) ->
                    new RowParts.RowNumber(places.get(index) - operands);
            case RowParts.Columns(var combine, var body) ->
                    new RowParts.Columns(combine, hoisted(settled(body)));
        };
    }

    private int put(RowParts.RowValue number) {
        types.add(number.body().type(types));
        numbers.add(number);
        return operands + numbers.size() - 1;
    }

    private Scalar settled(Scalar body) {
        return body.mapArgs(
                a -> {
                    int i = ((Scalar.Arg) a).index();
                    return i < base ? a : Scalar.arg(places.get(i - base));
                });
    }

    private Scalar hoisted(Scalar s) {
        if (known.has(s)) return known.at(s);
        if (isSteady(s) && s.cost() >= WORTHWHILE && s.type(types).isFloat()) {
            known.put(s, Scalar.arg(put(new RowParts.Apply(s))));
            return known.at(s);
        }
        return switch (s) {
            case Scalar.Arg _, Scalar.Lit _, Scalar.Index _, Scalar.Position _ -> s;
            case Scalar.Un(var fn, var x) -> new Scalar.Un(fn, hoisted(x));
            case Scalar.Bin(var fn, var x, var y) -> new Scalar.Bin(fn, hoisted(x), hoisted(y));
            case Scalar.Select(var c, var x, var y) ->
                    new Scalar.Select(hoisted(c), hoisted(x), hoisted(y));
            case Scalar.Cast(var to, var x) -> new Scalar.Cast(to, hoisted(x));
            case Scalar.Draw(var k, var c) -> new Scalar.Draw(hoisted(k), hoisted(c));
        };
    }

    private boolean isSteady(Scalar s) {
        return switch (s) {
            case Scalar.Arg(int i) -> i >= operands || steady.get(i);
            case Scalar.Index _, Scalar.Position _ -> false;
            case Scalar.Lit _,
                    Scalar.Un _,
                    Scalar.Bin _,
                    Scalar.Select _,
                    Scalar.Cast _,
                    Scalar.Draw _ ->
                    s.parts().stream().allMatch(this::isSteady);
        };
    }
}
