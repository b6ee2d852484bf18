package dev.ebb.spark;

import dev.ebb.Compiled2;
import dev.ebb.Ebb;
import dev.ebb.cpu.Cpu;
import dev.ebb.ir.Shape;
import dev.ebb.nn.parallel.Recipe;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.apache.spark.TaskContext;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.util.TaskCompletionListener;
import org.jspecify.annotations.Nullable;

import scala.collection.Seq;
import scala.jdk.javaapi.CollectionConverters;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A model applied to the rows of one partition; it is loaded and compiled once per partition,
 * within its budget.
 */
final class RowFunction<P> implements UDF1<Seq<Object>, List<Float>> {
    private static final long serialVersionUID = 1;

    private final Recipe<P> recipe;
    private final Prediction<P> prediction;
    private final SparkResult trained;
    private final String budget;
    private transient @Nullable Ready<P> ready;

    private record Ready<P>(P model, Cpu device, Compiled2<P, Tensor, Tensor> program) {
        /** Frees the partition's memory when its task ends. */
        void closeWith(TaskContext task) {
            task.addTaskCompletionListener(
                    (TaskCompletionListener)
                            _ -> {
                                program.close();
                                device.close();
                            });
        }
    }

    RowFunction(Recipe<P> recipe, Prediction<P> prediction, SparkResult trained, String budget) {
        this.recipe = recipe;
        this.prediction = prediction;
        this.trained = trained;
        this.budget = budget;
    }

    private Ready<P> ready() throws IOException {
        var known = ready;
        if (known != null) return known;
        var device = new Cpu(1);
        var program =
                Ebb.compile((P model, Tensor row) -> prediction.of(model, row))
                        .within(Budget.of(budget))
                        .on(device);
        var made = new Ready<>(trained.model(recipe), device, program);
        // Spark evaluates a small local table on the driver, without a task
        var task = TaskContext.get();
        if (task != null) made.closeWith(task);
        ready = made;
        return made;
    }

    /** Null for a null row, as in Spark's own functions. */
    @Override
    public @Nullable List<Float> call(@Nullable Seq<Object> row) throws IOException {
        if (row == null) return null;
        var numbers = CollectionConverters.asJava(row);
        var values = new float[numbers.size()];
        for (int i = 0; i < values.length; i++) {
            if (!(numbers.get(i) instanceof Number number)) {
                throw new IllegalArgumentException(
                        ("a row to predict for has %s as its number %s; fill or filter such rows"
                                        + " first")
                                .formatted(numbers.get(i), i));
            }
            values[i] = number.floatValue();
        }
        var here = ready();
        var out = here.program.apply(here.model, Array.of(Shape.of(1, values.length), values));
        var list = new ArrayList<Float>();
        for (float x : out.toFloats()) list.add(x);
        return list;
    }
}
