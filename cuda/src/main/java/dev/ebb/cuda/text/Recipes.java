package dev.ebb.cuda.text;

import dev.ebb.cuda.Precision;
import dev.ebb.cuda.recipe.Recipe;
import dev.ebb.cuda.text.attend.AttendGradText;
import dev.ebb.cuda.text.attend.AttendText;
import dev.ebb.cuda.text.attend.TensorAttend;
import dev.ebb.ir.Control;
import dev.ebb.ir.DType;
import dev.ebb.ir.DecodingContract;
import dev.ebb.ir.Kernel;

import java.util.List;
import java.util.Optional;

/** Makes recipes from kernel forms. */
public final class Recipes {
    private Recipes() {}

    /** The recipe of {@code kernel} on operands of these types; none if it runs on the host. */
    public static Optional<Recipe> of(
            Kernel kernel, List<DType> in, List<DType> out, Precision precision) {
        return switch (kernel) {
            case Kernel.Map k -> Optional.of(MapText.recipe(k, in, out));
            case Kernel.Fold k -> Optional.of(FoldText.recipe(k, in, out.getFirst()));
            case Kernel.Rows k ->
                    Optional.of(RowsText.recipe(k, in, out.subList(0, k.results().size())));
            case Kernel.Contract k ->
                    Optional.of(Products.recipe(k, in, out.getFirst(), precision));
            case DecodingContract _ ->
                    throw new IllegalArgumentException(
                            "a product with a factor that is not stored; this device's limits ask"
                                    + " for none");
            case Kernel.Assemble k -> Optional.of(MoveText.assemble(k, out.getFirst()));
            case Kernel.Cut k -> Optional.of(MoveText.cut(k, in.getFirst()));
            case Kernel.Gather k -> Optional.of(MoveText.gather(k, in.get(0), in.get(1)));
            case Kernel.Scatter k ->
                    Optional.of(
                            k.isUpdate()
                                    ? ScatterOverText.recipe(k, in.get(1), in.get(2))
                                    : ScatterText.recipe(k, in.get(0), in.get(1)));
            case Kernel.Cumulate k -> Optional.of(LineText.cumulate(k, in.getFirst()));
            case Kernel.Sort k -> Optional.of(LineText.sort(k, in.getFirst()));
            case Kernel.Convolve k ->
                    Optional.of(
                            TensorConvolve.fits(k, in, out.getFirst(), precision)
                                    ? TensorConvolve.recipe(k, out.getFirst())
                                    : ConvolveText.recipe(k, in, out.getFirst()));
            case Kernel.Attend k ->
                    Optional.of(
                            TensorAttend.fits(k, in, out, precision)
                                    ? TensorAttend.forward(k, in)
                                    : AttendText.forward(k, in, out));
            case Kernel.AttendGrad k ->
                    Optional.of(
                            TensorAttend.fits(k, in, out, precision)
                                    ? TensorAttend.backward(k, in)
                                    : AttendGradText.backward(k, in, out));
            case Kernel.Library _, Control _ -> Optional.empty();
        };
    }
}
