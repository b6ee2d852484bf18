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
 * Generates text with a language model. A step takes one token of each row; the keys and values of
 * all earlier tokens stay in the program's memory. Prompts are processed in blocks of tokens if the
 * budget allows; a token's keys and values have the same bits either way. Weights, caches and
 * workspace together stay within the budget. The tokens drawn for a prompt depend neither on the
 * other prompts of the batch nor on the budget.
 */
public final class Generator implements AutoCloseable {
    private final int vocabulary;
    private final int batch;
    private final int context;
    private final int block;
    private final Stepper<State, Input, List<Tensor>> stepper;

    /** The most tokens of a block of a prompt; blocks have at least {@link #LEAST}. */
    private static final int MOST = 64;

    private static final int LEAST = 4;

    /**
     * The input of a step: one token of each row, for which scores are returned, or a block of
     * tokens, which are only added to the caches.
     *
     * @param ids tokens of each row, [batch, time]
     * @param at the position of the first, [batch]
     */
    public record Input(Tensor ids, Tensor at) {}

    /** The state in the program's memory: unchanged weights, and caches. */
    public record State(AutoregressiveModel model, List<KeyValueCache> caches) {}

    /** Reads one tensor of a model, by its index in {@link dev.ebb.Tensorwise#list}. */
    @FunctionalInterface
    public interface TensorReader {
        Array tensor(int place) throws IOException;
    }

    /** Receives tokens as they are drawn. */
    public interface Listener {
        void drawn(int row, int[] tokens);

        /**
         * Whether a row ends after the tokens reported so far, for a reason other than its tokens,
         * such as a stop word in their text.
         */
        default boolean isEnough(int row) {
            return false;
        }
    }

    /**
     * A generator for {@code batch} prompts at once, each with a context of {@code context} tokens.
     */
    public Generator(
            AutoregressiveModel model, int batch, int context, Budget budget, Device device) {
        requireSizes(model, batch, context);
        vocabulary = model.vocabulary();
        this.batch = batch;
        this.context = context;
        var blocks = new ArrayList<Integer>();
        for (int n = Math.min(MOST, context); n >= LEAST; n /= 2) blocks.add(n);
        if (!budget.places().isEmpty()) blocks.clear();
        Optional<Stepper<State, Input, List<Tensor>>> started = Optional.empty();
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
     * @param blank the structure of the model; the content of its tensors is not used
     */
    public static Generator reading(
            AutoregressiveModel blank,
            TensorReader weights,
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

    /** A stepper that also processes blocks of {@code length} tokens, if the budget allows. */
    private Optional<Stepper<State, Input, List<Tensor>>> withBlocks(
            AutoregressiveModel model, int length, Budget budget, Device device) {
        var kinds = List.of(input(batch, 1), input(batch, length));
        try {
            return Optional.of(
                    stepping(budget, device).startForEach(held(model, batch, context), kinds));
        } catch (OverBudgetException e) {
            return Optional.empty();
        }
    }

    private Stepper<State, Input, List<Tensor>> oneByOne(
            AutoregressiveModel model, Budget budget, Device device) {
        try {
            return stepping(budget, device).start(held(model, batch, context), input(batch, 1));
        } catch (OverBudgetException e) {
            int fits = longestContext(model, batch, context - 1, budget, device);
            throw fits == 0
                    ? e
                    : new IllegalArgumentException(
                            "%s; with a context of %s tokens instead of %s it fits"
                                    .formatted(e.getMessage(), fits, context),
                            e);
        }
    }

    private static void requireSizes(AutoregressiveModel model, int batch, int context) {
        if (batch < 1) throw new IllegalArgumentException("a batch of " + batch + " prompts");
        if (context >= 2 && context <= model.context()) return;
        throw new IllegalArgumentException(
                "a context of " + context + " tokens; this model looks at 2 to " + model.context());
    }

    private static State held(AutoregressiveModel model, int batch, int context) {
        return new State(model, model.caches(batch, context));
    }

    private static Stepping<State, Input, List<Tensor>> stepping(Budget budget, Device device) {
        Fn2<State, Input, Next<State, List<Tensor>>> step =
                (held, input) -> {
                    var next = held.model.next(input.ids, held.caches, new Positions(input.at));
                    boolean drawn = input.ids.dim(1) == 1;
                    return new Next<>(
                            new State(held.model, next.caches()),
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

    /** The plan of a generator, without allocating its memory. */
    public static Plan plan(
            AutoregressiveModel model, int batch, int context, Budget budget, Device device) {
        requireSizes(model, batch, context);
        return stepping(budget, device).plan(held(model, batch, context), input(batch, 1));
    }

    /**
     * The longest context, at most {@code most} tokens, with which {@code batch} prompts fit the
     * budget; zero if even two tokens do not fit.
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

    /** Generates {@code count} tokens after each prompt. */
    public List<int[]> generate(List<int[]> prompts, int count, Sampling sampling, Seed seed) {
        return generate(prompts, count, sampling, seed, List.of(), (row, tokens) -> {});
    }

    /**
     * Generates {@code count} tokens after each prompt, or fewer if one of {@code stops} is drawn,
     * which is left out. There may be fewer prompts than the generator's batch.
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

    /** Processes prompts in blocks, as long as one has more than a few tokens left. */
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

    /**
     * The bytes of the whole generator: at least those that {@link #report} promises for one step.
     */
    public long promisedBytes() {
        return stepper.promisedBytes();
    }

    /** The promised and the measured figures of the last step. */
    public Report report() {
        return stepper.report();
    }

    @Override
    public void close() {
        stepper.close();
    }
}
