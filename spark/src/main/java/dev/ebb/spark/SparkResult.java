package dev.ebb.spark;

import dev.ebb.Tensorwise;
import dev.ebb.nn.parallel.Recipe;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.apache.spark.sql.expressions.UserDefinedFunction;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/**
 * A finished run.
 *
 * @param ranks the result of each rank
 * @param checkpoints the folder with its last checkpoint
 */
public record SparkResult(List<RankResult> ranks, String checkpoints) implements Serializable {
    public SparkResult {
        ranks = List.copyOf(ranks);
    }

    /** The digest of the bits of all weights: the same for any number of ranks. */
    public String digest() {
        return ranks.getFirst().digest();
    }

    public List<Double> losses() {
        return ranks.getFirst().losses();
    }

    /** A web page about the run: the losses, and a chart of each rank's memory during a step. */
    public String report(String title) {
        return RunReport.of(title, this);
    }

    /** Writes {@link #report} as {@code report.html} into the folder of the checkpoints. */
    public void writeReport(String title) throws IOException {
        new Checkpoints(checkpoints).writeText("report.html", report(title));
    }

    /**
     * The trained model as a function of a column that has an array of numbers in each row; the
     * result is an array of floats. Each partition has its own model, within {@code budget}.
     */
    public <P> UserDefinedFunction function(
            Recipe<P> recipe, Prediction<P> prediction, String budget) {
        return functions.udf(
                new RowFunction<>(recipe, prediction, this, budget),
                DataTypes.createArrayType(DataTypes.FloatType));
    }

    /** The trained weights. */
    public <P> P model(Recipe<P> recipe) throws IOException {
        var form = recipe.model();
        var names = Tensorwise.names(form);
        var types = Tensorwise.list(form).stream().map(Tensor::type).toList();
        return new Checkpoints(checkpoints)
                .read(
                        losses().size(),
                        file -> {
                            var arrays = new ArrayList<Array>();
                            for (int i = 0; i < names.size(); i++)
                                arrays.add(file.read(names.get(i), types.get(i)));
                            return Tensorwise.rebuild(form, arrays);
                        })
                .orElseThrow(
                        () ->
                                new IOException(
                                        "the last checkpoint in " + checkpoints + " is damaged"));
    }
}
