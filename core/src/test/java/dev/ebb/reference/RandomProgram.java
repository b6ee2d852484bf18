package dev.ebb.reference;

import dev.ebb.Fn;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A program of random steps on a few small tensors. Each step applies an op to values that exist
 * already; the program's value is the sum of every step's mean, so that each step counts and many
 * are used twice. A program's first steps are a program too: that is how a failing one is made
 * shorter. What is printed can be run.
 */
public record RandomProgram(List<Array> inputs, List<Step> steps)
        implements Fn<List<Tensor>, Tensor> {

    /** One application of an op to values by number; the inputs come first. */
    public record Step(Move move, List<Integer> operands) {
        @Override
        public String toString() {
            var names = operands.stream().map(i -> "v" + i).collect(Collectors.joining(", "));
            return move.name() + "(" + names + ")";
        }
    }

    /** An op of some operands. */
    public record Move(String name, int operands, Fn<List<Tensor>, Tensor> op) {}

    private static final int LARGEST = 60;
    private static final double FARTHEST = 20;

    private static final List<Move> MOVES =
            List.of(
                    one("sin", Tensor::sin),
                    one("tanh", Tensor::tanh),
                    one("sigmoid", Tensor::sigmoid),
                    one("gelu", Tensor::gelu),
                    one("silu", Tensor::silu),
                    one("softplus", Tensor::softplus),
                    one("atan", Tensor::atan),
                    one("erf", Tensor::erf),
                    one("relu", Tensor::relu),
                    one("abs", Tensor::abs),
                    one("leakyRelu", x -> x.leakyRelu(0.1)),
                    one("clamp", x -> x.clamp(-1.5, 0.5)),
                    one("square", Tensor::square),
                    one("log1p of square", x -> x.square().log1p()),
                    one("transpose", Tensor::transpose),
                    one("flatten", x -> x.reshape(-1)),
                    one("flip", x -> x.flip(0)),
                    one("roll", x -> x.roll(1, -1)),
                    one("tail", x -> x.slice(0, 1, x.dim(0))),
                    one("pad", x -> x.unsqueeze(0).pad(zeros(x, 1), zeros(x, 0), 0.3)),
                    one("swap halves", x -> Tensors.concat(x.chunk(2, -1).reversed(), -1)),
                    one("sum", x -> x.sum(0)),
                    one("mean", x -> x.mean(List.of(-1), true)),
                    one("amax", x -> x.amax(List.of(-1), true)),
                    one("logsumexp", x -> x.logsumexp(0)),
                    one("variance", x -> x.variance(List.of(-1), 0, true)),
                    one("norm", x -> x.norm(2, List.of(0), false)),
                    one("prod", x -> x.prod(-1)),
                    one("cumsum", x -> x.cumsum(0)),
                    one("cumprod", x -> x.cumprod(-1)),
                    one("sort", x -> x.sort(-1, true).values()),
                    one("pick", x -> x.indexSelect(0, Array.of(0L, 0L))),
                    one("layer norm of wide rows", x -> norm(wide(x, 77)).mean(-1)),
                    one("rms norm of wide rows", x -> rms(wide(x, 64)).amax(List.of(-1), false)),
                    one("softmax of wide rows", x -> wide(x, 101).softmax(-1).square().sum(-1)),
                    two("add", (x, y) -> x.add(y)),
                    two("sub", (x, y) -> x.sub(y)),
                    two("mul", (x, y) -> x.mul(y)),
                    two("div", (x, y) -> x.div(y.square().add(1))),
                    two("maximum", (x, y) -> x.maximum(y)),
                    two("hypot", (x, y) -> x.hypot(y.sigmoid())),
                    two("logaddexp", (x, y) -> x.logaddexp(y)),
                    two("where", (x, y) -> Tensors.where(x.gt(y), x.sin(), y)),
                    two("concat", (x, y) -> Tensors.concat(List.of(x, y), 0)),
                    two("stack", (x, y) -> Tensors.stack(List.of(x, y), -1)),
                    two("matmul", (x, y) -> x.matmul(y)),
                    two("matmul of transpose", (x, y) -> x.matmul(y.transpose())));

    private static List<Integer> zeros(Tensor x, int first) {
        return IntStream.rangeClosed(0, x.rank()).mapToObj(i -> i == 0 ? first : 0).toList();
    }

    /** A row of {@code width} for each element, long enough for its folds to be fused. */
    private static Tensor wide(Tensor x, int width) {
        var ramp = IntStream.range(0, width).mapToDouble(i -> Math.sin(i) + 0.1).toArray();
        return x.reshape(-1, 1).sin().add(1.5).mul(Array.of(x.type().with(Shape.of(width)), ramp));
    }

    private static Tensor norm(Tensor x) {
        var row = x.slice(0, 0, 1).reshape(-1);
        return x.layerNorm(row, row, 0.1);
    }

    private static Tensor rms(Tensor x) {
        return x.rmsNorm(x.slice(0, 0, 1).reshape(-1).cos(), 0.1);
    }

    private static Move one(String name, Fn<Tensor, Tensor> op) {
        return new Move(name, 1, in -> op.apply(in.getFirst()));
    }

    private static Move two(String name, dev.ebb.Fn2<Tensor, Tensor, Tensor> op) {
        return new Move(name, 2, in -> op.apply(in.getFirst(), in.getLast()));
    }

    /** A program of {@code length} steps. */
    public static RandomProgram of(long seed, int length) {
        var random = new Random(seed);
        var inputs =
                List.of(
                        draw(random, Shape.of(3, 4)),
                        draw(random, Shape.of(4)),
                        draw(random, Shape.of(4, 2)),
                        draw(random, Shape.scalar()));
        var values = new ArrayList<>(inputs);
        var steps = new ArrayList<Step>();
        while (steps.size() < length) {
            var move = MOVES.get(random.nextInt(MOVES.size()));
            var operands = random.ints(move.operands(), 0, values.size()).boxed().toList();
            var step = new Step(move, operands);
            tried(step, values)
                    .ifPresent(
                            v -> {
                                values.add(v);
                                steps.add(step);
                            });
        }
        return new RandomProgram(inputs, steps);
    }

    private static Array draw(Random random, Shape shape) {
        return Array.of(shape, random.doubles(shape.size(), -1.5, 1.5).toArray());
    }

    /** The value of a step, if its operands fit and it stays small. */
    private static Optional<Array> tried(Step step, List<Array> values) {
        try {
            var y = (Array) step.move().op().apply(pick(values, step.operands()));
            boolean small = y.type().size() > 0 && y.type().size() <= LARGEST;
            for (double x : y.toDoubles()) small &= Math.abs(x) < FARTHEST;
            return small ? Optional.of(y) : Optional.empty();
        } catch (ShapeException e) {
            return Optional.empty();
        }
    }

    private static List<Tensor> pick(List<? extends Tensor> values, List<Integer> which) {
        return which.stream().map(i -> (Tensor) values.get(i)).toList();
    }

    @Override
    public Tensor apply(List<Tensor> arguments) {
        var values = new ArrayList<>(arguments);
        Tensor sum = arguments.getFirst().mean();
        for (var step : steps) {
            values.add(step.move().op().apply(pick(values, step.operands())));
            sum = sum.add(values.getLast().mean());
        }
        return sum;
    }

    /** The first {@code length} steps. */
    public RandomProgram first(int length) {
        return new RandomProgram(inputs, steps.subList(0, length));
    }

    @Override
    public String toString() {
        var text = new StringBuilder();
        for (int i = 0; i < inputs.size(); i++) {
            text.append("v%d = %s%n".formatted(i, inputs.get(i)));
        }
        for (int i = 0; i < steps.size(); i++) {
            text.append("v%d = %s%n".formatted(inputs.size() + i, steps.get(i)));
        }
        return text.toString();
    }
}
