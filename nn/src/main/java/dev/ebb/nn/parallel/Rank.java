package dev.ebb.nn.parallel;

import dev.ebb.Ebb;
import dev.ebb.Stepper;
import dev.ebb.Stepping;
import dev.ebb.Tensorwise;
import dev.ebb.exec.Device;
import dev.ebb.exec.Report;
import dev.ebb.ir.Type;
import dev.ebb.nn.file.LazyTensor;
import dev.ebb.nn.model.Weights;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Plan;
import dev.ebb.plan.cache.PlanCache;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * One rank of a training run: the compiled step and this rank's part of the state. All ranks must
 * call the same methods in the same order.
 */
public final class Rank<P> implements AutoCloseable {
    private final Partition cut;
    private final Group group;
    private final List<Place> places;
    private final int weights;
    private final Stepper<ShardedState, List<Tensor>, Tensor> stepper;

    /** A tensor of the whole state: its name, and whether it is divided among ranks. */
    private record Place(String name, Type whole, boolean cut) {}

    /**
     * Plans and compiles the step, and starts with the recipe's model. Throws if ranks would run
     * different programs.
     *
     * @param example this rank's rows of a batch; only the types are used
     */
    public Rank(
            Recipe<P> recipe,
            Partition cut,
            Group group,
            List<Tensor> example,
            Budget budget,
            Device device) {
        this(recipe, cut, group, example, budget, device, PlanCache.inMemory());
    }

    /**
     * The same with a cache of plans, which does not change the plan: a rank that is restarted need
     * not search again.
     */
    public Rank(
            Recipe<P> recipe,
            Partition cut,
            Group group,
            List<Tensor> example,
            Budget budget,
            Device device,
            PlanCache plans) {
        this(recipe, cut, group, example, budget, device, plans, device.isHost());
    }

    /** The same; {@code beside} is whether gradients are sent during the backward pass. */
    Rank(
            Recipe<P> recipe,
            Partition cut,
            Group group,
            List<Tensor> example,
            Budget budget,
            Device device,
            PlanCache plans,
            boolean beside) {
        if (group.size() != cut.ranks()) {
            throw new IllegalArgumentException(
                    "a cut for " + cut.ranks() + " ranks in a group of " + group.size());
        }
        this.cut = cut;
        this.group = group;
        var model = recipe.model();
        var state = state(recipe, model, cut, group.rank());
        places = places(model, recipe.optimizer().slots(), state);
        weights = Tensorwise.list(model).size();
        stepper =
                stepping(recipe, model, cut, group, budget, device, beside)
                        .caching(plans)
                        .start(state, example);
        Agreement.require(group, "graph or plan", Agreement.digest(stepper.plan()));
    }

    /** The plan of a rank, without allocating its memory; nothing is exchanged. */
    public static <P> Plan plan(
            Recipe<P> recipe,
            Partition cut,
            Group group,
            List<Tensor> example,
            Budget budget,
            Device device) {
        var model = recipe.model();
        return stepping(recipe, model, cut, group, budget, device, device.isHost())
                .plan(state(recipe, model, cut, group.rank()), example);
    }

    private static <P> Stepping<ShardedState, List<Tensor>, Tensor> stepping(
            Recipe<P> recipe,
            P model,
            Partition cut,
            Group group,
            Budget budget,
            Device device,
            boolean beside) {
        var step = new ShardedStep<>(recipe, Weights.blank(model), cut, group, beside);
        return Ebb.stepper(step::apply)
                .within(budget)
                .on(device)
                .costing(new LinkCost.WithCompute(device.cost(), group.linkCost()));
    }

    private static <P> ShardedState state(Recipe<P> recipe, P model, Partition cut, int rank) {
        var parts = new ArrayList<Tensor>();
        for (var whole : Tensorwise.list(model)) parts.add(cut.part((Array) whole, rank));
        return new ShardedState(parts, recipe.optimizer().start(parts));
    }

    /** Weights, number of updates, slots and masters, in the order of the state's tensors. */
    private static List<Place> places(Object model, int slots, ShardedState state) {
        var names = Tensorwise.names(model);
        var types = Tensorwise.list(model).stream().map(Tensor::type).toList();
        var parts = Tensorwise.list(state);
        var places = new ArrayList<Place>();
        for (int i = 0; i < names.size(); i++)
            places.add(new Place(names.get(i), types.get(i), true));
        places.add(new Place("optimizer.step", parts.get(names.size()).type(), false));
        for (int slot = 0; slot < slots; slot++) {
            for (int i = 0; i < names.size(); i++) {
                var kept = parts.get(places.size()).dtype();
                var name = "optimizer." + slot + "." + names.get(i);
                places.add(new Place(name, types.get(i).with(kept), true));
            }
        }
        for (int i = 0; i < names.size(); i++) {
            if (types.get(i).dtype().compute() == types.get(i).dtype()) continue;
            var wide = types.get(i).with(types.get(i).dtype().compute());
            places.add(new Place("optimizer.master." + names.get(i), wide, true));
        }
        return places;
    }

    /** Makes one step on this rank's rows of a batch; returns the loss of the whole batch. */
    public double step(List<Tensor> rows) {
        return stepper.step(rows).item();
    }

    /**
     * All tensors of the whole state, each gathered from all ranks when it is requested: all ranks
     * must request all of them, in this order. They do not depend on the number of ranks.
     */
    public List<LazyTensor> state() {
        var all = new ArrayList<LazyTensor>();
        for (int i = 0; i < places.size(); i++) {
            int place = i;
            all.add(new LazyTensor(places.get(i).name, places.get(i).whole, () -> whole(place)));
        }
        return all;
    }

    /** Takes part in gathering {@link #state} for another rank, which writes it. */
    public void contribute() {
        for (int i = 0; i < places.size(); i++) whole(i);
    }

    /** The weights only, in the order of {@link Tensorwise#list}; gathered as in {@link #state}. */
    public List<LazyTensor> weights() {
        return state().subList(0, weights);
    }

    /** A digest of all weights, the same on every rank; all ranks must call this. */
    public String digest() {
        return Weights.digest(weights(), List.of());
    }

    /** Restores another state: the tensors of {@link #state}, in its order. */
    public void restore(List<LazyTensor> whole) {
        for (int i = 0; i < places.size(); i++) {
            var array = whole.get(i).data().get();
            stepper.restore(i, places.get(i).cut ? cut.part(array, group.rank()) : array);
        }
    }

    private Array whole(int i) {
        var part = stepper.state(i);
        var place = places.get(i);
        if (!place.cut) return part;
        var own = MemorySegment.ofArray(new byte[Math.toIntExact(part.type().bytes())]);
        own.copyFrom(part.data().segment().asSlice(0, own.byteSize()));
        var all = MemorySegment.ofArray(new byte[Math.toIntExact(own.byteSize() * group.size())]);
        HostCollectives.allGather(group, own, all);
        return Array.make(
                place.whole, b -> MemorySegment.copy(all, 0, b.segment(), 0, place.whole.bytes()));
    }

    public Plan plan() {
        return stepper.plan();
    }

    /** The promised and the measured figures of the latest step. */
    public Report report() {
        return stepper.report();
    }

    /** The measured bytes in the arena at each computation of the latest step. */
    public long[] held() {
        return stepper.held();
    }

    @Override
    public void close() {
        group.settle();
        stepper.close();
    }
}
