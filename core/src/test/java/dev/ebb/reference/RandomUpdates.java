package dev.ebb.reference;

import dev.ebb.Ebb;
import dev.ebb.Fn2;
import dev.ebb.Next;
import dev.ebb.exec.Device;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A step of random elementwise updates of a few square states, among them exchanges, transposes and
 * means over all, so that some can be made in one pass, some in place, and some in neither.
 */
public record RandomUpdates(long seed, int side, List<DType> types)
        implements Fn2<List<Tensor>, Tensor, Next<List<Tensor>, Tensor>> {
    private static final int VALUES = 9;
    private static final int STEPS = 3;

    public static RandomUpdates of(long seed, int side) {
        var random = new Random(seed);
        var types = new ArrayList<DType>();
        for (int i = 2 + random.nextInt(3); i > 0; i--)
            types.add(random.nextInt(6) == 0 ? DType.BF16 : DType.F32);
        return new RandomUpdates(seed, side, types);
    }

    @Override
    public Next<List<Tensor>, Tensor> apply(List<Tensor> states, Tensor x) {
        var random = new Random(seed);
        var values = new ArrayList<Tensor>();
        for (Tensor s : states) values.add(s.cast(DType.F32));
        values.add(x);
        var next = new ArrayList<>(states);
        for (int i = 0; i < VALUES; i++) {
            var made = move(random, pick(random, values), pick(random, values));
            int s = random.nextInt(states.size());
            // what is stored is read as it is stored
            if (random.nextBoolean()) next.set(s, made.cast(types.get(s)));
            values.add(random.nextBoolean() ? made : next.get(s).cast(DType.F32));
        }
        if (random.nextInt(4) == 0) {
            var first = next.getFirst().cast(types.getLast());
            next.set(0, next.getLast().cast(types.getFirst()));
            next.set(next.size() - 1, first);
        }
        return new Next<>(next, pick(random, values).mean());
    }

    private static Tensor pick(Random random, List<Tensor> values) {
        // the last ones more often, so that there are chains
        int back = Math.min(random.nextInt(values.size()), random.nextInt(values.size()));
        return values.get(values.size() - 1 - back);
    }

    private static Tensor move(Random random, Tensor x, Tensor y) {
        return switch (random.nextInt(13)) {
            case 0, 1 -> x.mul(0.9).add(y.mul(0.1));
            case 2, 3 -> x.sub(y.mul(0.25));
            case 4 -> x.mul(y).sin();
            case 5 -> x.div(y.square().add(0.5).sqrt());
            case 6 -> x.add(y.tanh());
            case 7 -> Tensors.where(x.gt(y), x, y.mul(0.5));
            case 8 -> x.sign().mul(0.5).add(y.mul(0.25));
            case 9 -> x.sub(y.mean());
            case 10 -> x.mul(0.5).add(y.transpose().mul(0.5));
            case 11 -> y.abs().add(0.125).sqrt();
            case 12 -> x.mul(0.75).add(y.flip(0).square().mul(0.125));
            default -> throw new IllegalStateException("thirteen moves");
        };
    }

    private List<Tensor> start() {
        var random = new Random(seed + 1);
        return types.stream().map(t -> filled(t, random)).toList();
    }

    private Tensor filled(DType type, Random random) {
        var numbers = new double[side * side];
        for (int i = 0; i < numbers.length; i++) numbers[i] = random.nextGaussian();
        return Array.of(Type.of(type, side, side), numbers);
    }

    private List<Tensor> inputs() {
        var random = new Random(seed + 2);
        var all = new ArrayList<Tensor>();
        for (int i = 0; i < STEPS; i++) all.add(filled(DType.F32, random));
        return all;
    }

    /** The states after some steps, each op a kernel and nothing in place; then all it gave. */
    public List<Tensor> plain(Device device) {
        var out = new ArrayList<Tensor>();
        try (var f =
                Ebb.compile((Next<List<Tensor>, Tensor> at) -> apply(at.state(), at.out()))
                        .on(device)
                        .unfused()) {
            var state = start();
            for (Tensor x : inputs()) {
                var next = f.apply(new Next<>(state, x));
                state = next.state();
                out.add(next.out());
            }
            out.addAll(state);
        }
        return out;
    }

    /** The same by a stepper. */
    public List<Tensor> stepped(Device device) {
        var out = new ArrayList<Tensor>();
        try (var stepper = Ebb.stepper(this).on(device).start(start(), inputs().getFirst())) {
            for (Tensor x : inputs()) out.add(stepper.step(x));
            out.addAll(stepper.state());
        }
        return out;
    }

    /** How many kernels of a step have several outputs. */
    public long merged(Device device) {
        try (var stepper = Ebb.stepper(this).on(device).start(start(), inputs().getFirst())) {
            return stepper.plan().schedule().problem().graph().nodes().stream()
                    .filter(n -> n.kernel() instanceof Kernel.Map && n.outputs().size() > 1)
                    .count();
        }
    }
}
