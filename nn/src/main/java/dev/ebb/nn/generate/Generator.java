package dev.ebb.nn.generate;

import dev.ebb.Ebb;
import dev.ebb.Fn2;
import dev.ebb.Next;
import dev.ebb.Stepper;
import dev.ebb.Stepping;
import dev.ebb.Tensorwise;
import dev.ebb.exec.Device;
import dev.ebb.exec.Report;
import dev.ebb.ir.Shape;
import dev.ebb.nn.KeyValueCache;
import dev.ebb.nn.Positions;
import dev.ebb.nn.Seed;
import dev.ebb.nn.model.AutoregressiveModel;
import dev.ebb.plan.Budget;
import dev.ebb.plan.OverBudgetException;
import dev.ebb.plan.Plan;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Writes with a language model: a step takes one token of each row, and the keys and values of all
 * tokens before them stay in the program's memory. Prompts are read in blocks of tokens where the
 * budget has room for that; a token's keys and values have the same bits either way. Weights,
 * caches and workspace together stay within the budget. What is drawn for a prompt depends neither
 * on the prompts beside it nor on the budget.
 */
public final class Generator implements AutoCloseable {
    private final int vocabulary;
    private final int batch;
    private final int context;
    private final int block;
    private final Stepper<Held, Input, List<Tensor>> stepper;

    /** Prompts are read in blocks of at most this many tokens, and of at least {@link #LEAST}. */
    private static final int MOST = 64;

    private static final int LEAST = 4;

    /**
     * What a step is fed: one token of each row, whose scores come back, or a block of them, which
     * are only read.
     *
     * @param ids tokens of each row, [batch, time]
     * @param at the position of the first, [batch]
     */
    public record Input(Tensor ids, Tensor at) {}

    /** What stays in the program's memory from step to step: weights as they are, and caches. */
    public record Held(AutoregressiveModel model, List<KeyValueCache> caches) {}

    /** Reads one tensor of a model, by its place in {@link dev.ebb.Tensorwise#list}. */
    @FunctionalInterface
    public interface Reading {
        Array tensor(int place) throws IOException;
    }

    /** Told of tokens as they are drawn. */
    public interface Listener {
        void drawn(int row, int[] tokens);

        /**
         * Whether a row ends after the tokens it was told of, for a reason that its tokens do not
         * show, such as a word of their text.
         */
        default boolean isEnough(int row) {
            return false;
        }
    }

    /** For {@code batch} prompts at once, each of which looks back {@code context} tokens. */
    public Generator(
            AutoregressiveModel model, int batch, int context, Budget budget, Device device) {
        requireSizes(model, batch, context);
        vocabulary = model.vocabulary();
        this.batch = batch;
        this.context = context;
        var blocks = new ArrayList<Integer>();
        for (int n = Math.min(MOST, context); n >= LEAST; n /= 2) blocks.add(n);
        if (!budget.places().isEmpty()) blocks.clear();
        Optional<Stepper<Held, Input, List<Tensor>>> started = Optional.empty();
        int length = 1;
        for (int n : blocks) {
            if (started.isPresent()) break;
            started = withBlocks(model, n, budget, device);
            length = n;
        }
        block = started.isPresent() ? length : 1;
        stepper = started.orElseGet(() -> oneByOne(model, budget, device));
    }

    /**
     * The same with weights that are read one by one, so that they are in memory once.
     *
     * @param blank how the model is built; what its tensors hold does not count
     */
    public static Generator reading(
            AutoregressiveModel blank,
            Reading weights,
            int batch,
            int context,
            Budget budget,
            Device device)
            throws IOException {
        var made = new Generator(blank, batch, context, budget, device);
        try {
            int count = Tensorwise.list(blank).size();
            for (int i = 0; i < count; i++) made.stepper.restore(i, weights.tensor(i));
            return made;
        } catch (IOException | RuntimeException e) {
            made.close();
            throw e;
        }
    }

    /** A process that also reads blocks of {@code length} tokens, if the budget has room for it. */
    private Optional<Stepper<Held, Input, List<Tensor>>> withBlocks(
            AutoregressiveModel model, int length, Budget budget, Device device) {
        var kinds = List.of(input(batch, 1), input(batch, length));
        try {
            return Optional.of(
                    stepping(budget, device).startForEach(held(model, batch, context), kinds));
        } catch (OverBudgetException e) {
            return Optional.empty();
        }
    }

    private Stepper<Held, Input, List<Tensor>> oneByOne(
            AutoregressiveModel model, Budget budget, Device device) {
        try {
            return stepping(budget, device).start(held(model, batch, context), input(batch, 1));
        } catch (OverBudgetException e) {
            int fits = longestContext(model, batch, context - 1, budget, device);
            throw fits == 0
                    ? e
                    : new IllegalArgumentException(
                            e.getMessage()
                                    + "; with a context of "
                                    + fits
                                    + " tokens instead of "
                                    + context
                                    + " it fits",
                            e);
        }
    }

    private static void requireSizes(AutoregressiveModel model, int batch, int context) {
        if (batch < 1) throw new IllegalArgumentException("a batch of " + batch + " prompts");
        if (context >= 2 && context <= model.context()) return;
        throw new IllegalArgumentException(
                "a context of " + context + " tokens; this model looks at 2 to " + model.context());
    }

    private static Held held(AutoregressiveModel model, int batch, int context) {
        return new Held(model, model.caches(batch, context));
    }

    private static Stepping<Held, Input, List<Tensor>> stepping(Budget budget, Device device) {
        Fn2<Held, Input, Next<Held, List<Tensor>>> step =
                (held, input) -> {
                    var next = held.model.next(input.ids, held.caches, new Positions(input.at));
                    boolean drawn = input.ids.dim(1) == 1;
                    return new Next<>(
                            new Held(held.model, next.caches()),
                            drawn ? List.of(next.logits()) : List.<Tensor>of());
                };
        return Ebb.stepper(step).within(budget).on(device);
    }

    private static Input input(int batch, int time) {
        return input(new long[batch * time], new long[batch]);
    }

    private static Input input(long[] ids, long[] at) {
        var shape = Shape.of(at.length, ids.length / at.length);
        return new Input(Array.of(shape, ids), Array.of(Shape.of(at.length), at));
    }

    /** The plan of a generator, without the memory it would own. */
    public static Plan plan(
            AutoregressiveModel model, int batch, int context, Budget budget, Device device) {
        requireSizes(model, batch, context);
        return stepping(budget, device).plan(held(model, batch, context), input(batch, 1));
    }

    /**
     * The longest context, {@code most} tokens at most, with which {@code batch} prompts fit the
     * budget; zero where not even two tokens do.
     */
    public static int longestContext(
            AutoregressiveModel model, int batch, int most, Budget budget, Device device) {
        int fits = 0;
        int fails = Math.min(most, model.context()) + 1;
        for (int tried = fails - 1; tried >= 2 && fits + 1 < fails; ) {
            try {
                plan(model, batch, tried, budget, device);
                fits = tried;
            } catch (OverBudgetException e) {
                fails = tried;
            }
            tried = Math.max(2, (fits + fails) / 2);
            if (tried <= fits || tried >= fails) break;
        }
        return fits;
    }

    /** {@code count} tokens after each prompt. */
    public List<int[]> generate(List<int[]> prompts, int count, Sampling sampling, Seed seed) {
        return generate(prompts, count, sampling, seed, List.of(), (row, tokens) -> {});
    }

    /**
     * {@code count} tokens after each prompt, or fewer where one of {@code stops} is drawn, which
     * is left out. As many prompts as this was made for, or fewer.
     */
    public List<int[]> generate(
            List<int[]> prompts,
            int count,
            Sampling sampling,
            Seed seed,
            List<int[]> stops,
            Listener listener) {
        requirePrompts(prompts, count, stops);
        var rows = new ArrayList<Row>();
        for (int r = 0; r < prompts.size(); r++)
            rows.add(new Row(prompts.get(r), count, context, stops, seed.of(r)));
        while (rows.stream().anyMatch(r -> !r.isDone())) step(rows, sampling, listener);
        return rows.stream().map(Row::drawn).toList();
    }

    private void requirePrompts(List<int[]> prompts, int count, List<int[]> stops) {
        if (count < 0) throw new IllegalArgumentException(count + " tokens to draw");
        if (prompts.size() > batch) {
            throw new IllegalArgumentException(
                    prompts.size() + " prompts for a generator of " + batch + " at once");
        }
        for (var prompt : prompts) {
            if (prompt.length == 0)
                throw new IllegalArgumentException("an empty prompt; give it one token at least");
            for (int token : prompt) {
                if (token >= 0 && token < vocabulary) continue;
                throw new IllegalArgumentException(
                        "token " + token + " in a prompt; the model's are below " + vocabulary);
            }
        }
        if (stops.stream().anyMatch(s -> s.length == 0))
            throw new IllegalArgumentException("an empty stop word");
    }

    /** Reads what prompts have in blocks, as long as one has more than a few tokens left. */
    private void read(List<Row> rows) {
        while (rows.stream().anyMatch(r -> r.unread() > block / LEAST)) {
            var ids = new long[batch * block];
            var at = new long[batch];
            for (int r = 0; r < rows.size(); r++) {
                int start = rows.get(r).blockStart(block);
                at[r] = start;
                rows.get(r).block(start, ids, r * block, block);
            }
            stepper.step(input(ids, at));
            for (int r = 0; r < rows.size(); r++) rows.get(r).read((int) at[r] + block);
        }
    }

    private void step(List<Row> rows, Sampling sampling, Listener listener) {
        if (block > 1) read(rows);
        var ids = new long[batch];
        var at = new long[batch];
        for (int r = 0; r < rows.size(); r++) {
            ids[r] = rows.get(r).next();
            at[r] = rows.get(r).position();
        }
        var scores = stepper.step(input(ids, at)).getFirst().toFloats();
        for (int r = 0; r < rows.size(); r++) {
            var row = rows.get(r);
            if (!row.advance()) continue;
            int from = r * vocabulary;
            row.draw(Arrays.copyOfRange(scores, from, from + vocabulary), sampling);
            var news = row.news();
            if (news.length > 0) listener.drawn(r, news);
            if (listener.isEnough(r)) row.end();
        }
    }

    /** The bytes it takes in all: at least what {@link #report} promises for one step. */
    public long promisedBytes() {
        return stepper.promisedBytes();
    }

    /** What was promised and measured in the last step. */
    public Report report() {
        return stepper.report();
    }

    @Override
    public void close() {
        stepper.close();
    }
}
