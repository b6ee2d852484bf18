package dev.ebb;

import dev.ebb.exec.ArrayFunction;
import dev.ebb.exec.Report;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;

import java.util.List;

/**
 * Runs a program that was compiled to one method: it reads doubles from the arrays of the arguments
 * and writes those of the results, without copying to the program's arena. For one thread at a
 * time.
 */
final class ArrayFunctionRun {
    private final ArrayFunction method;
    private final Type[] arguments;
    private final Type[] results;
    private final double[] in;
    private final double[] out;
    private final Report counted;
    private Report latest;

    /**
     * @param counted the report of a run in the program's memory, which stays planned and allocated
     */
    ArrayFunctionRun(
            ArrayFunction method, List<Type> arguments, List<Type> results, Report counted) {
        this.method = method;
        this.arguments = arguments.toArray(Type[]::new);
        this.results = results.toArray(Type[]::new);
        this.counted = counted;
        latest = counted;
        in = new double[elements(arguments)];
        out = new double[elements(results)];
    }

    private static int elements(List<Type> types) {
        return Math.toIntExact(types.stream().mapToLong(Type::size).sum());
    }

    List<Array> run(Array[] given) {
        int at = 0;
        for (int i = 0; i < given.length; i++) {
            var array = given[i];
            if (!array.type().equals(arguments[i])) {
                throw new ShapeException(
                        "an argument is %s, but the function was compiled for %s"
                                .formatted(array.type(), arguments[i]));
            }
            array.copyTo(in, at);
            at += (int) arguments[i].size();
        }
        var done = EventRecorder.recorder().running();
        long start = System.nanoTime();
        method.apply(in, out);
        latest = counted.taking((System.nanoTime() - start) / 1e9);
        done.accept(latest);
        var made = new Array[results.length];
        at = 0;
        for (int i = 0; i < made.length; i++) {
            made[i] = Array.of(results[i], out, at);
            at += (int) results[i].size();
        }
        return List.of(made);
    }

    /** The report of the latest run. */
    Report report() {
        return latest;
    }
}
