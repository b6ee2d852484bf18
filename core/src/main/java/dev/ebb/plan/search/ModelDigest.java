package dev.ebb.plan.search;

import dev.ebb.ir.Trait;
import dev.ebb.plan.cache.SearchKey;
import dev.ebb.plan.schedule.Binding;
import dev.ebb.plan.schedule.Clock;
import dev.ebb.plan.schedule.LateFrees;
import dev.ebb.plan.schedule.Schedule;

/**
 * A digest of all that a search in a {@link SearchModel} depends on: what each work reads, writes
 * and costs, the bytes and bindings of each value, and how fast the places outside the arena are.
 * Two programs of the same digest have the same plans.
 */
final class ModelDigest {
    private ModelDigest() {}

    /** The compiled code of the search, digested once. */
    private static final byte[] CODE =
            SearchKey.code(
                    LowerBounds.class,
                    Clock.class,
                    SearchEffort.class,
                    EvictionCandidates.class,
                    Frontier.class,
                    HeldBack.class,
                    SmallerFamilies.class,
                    StatePlaces.class,
                    CachedGenerations.class,
                    LateFrees.class,
                    Liveness.class,
                    Member.class,
                    MemberLayouts.class,
                    MemberTimes.class,
                    MemoryLevels.class,
                    SearchModel.class,
                    ModelDigest.class,
                    WorkOperands.class,
                    Ordering.class,
                    Overwrites.class,
                    Prefetch.class,
                    RecomputeChain.class,
                    Rematerialisation.class,
                    RepeatedNodes.class,
                    Replay.class,
                    Schedule.class,
                    ScheduleWriter.class,
                    NeighbourhoodSearch.class,
                    Timeline.class,
                    Transfers.class);

    static SearchKey of(SearchModel model) {
        var problem = model.problem;
        var key = new SearchKey(CODE);
        key.put((long) model.params).put((long) model.works).put((long) model.nodes.size());
        key.put(model.in).put(model.out).put(model.reuse).put(model.ways);
        key.put(model.bytes).put(model.cost).put(model.again);
        key.put(model.producer).put(model.home).put(model.original).put(model.place);
        key.put(model.pinned).put(model.initial).put(model.once).put(model.effect);
        for (var node : model.nodes) key.put(node.op().name()).put(node.reverse());
        for (var binding : problem.bindings()) {
            key.put(
                    switch (binding) {
                        case Binding.Consumed _ -> 0L;
                        case Binding.Kept _ -> 1L;
                        case Binding.Replaced(int result) -> 2L + result;
                    });
        }
        for (var inversion : problem.inversions()) {
            key.put((long) model.nodes.indexOf(inversion.undone()));
            key.put(inversion.undone().op().traits().contains(Trait.ALONE));
        }
        for (int k = 0; k < problem.places().size(); k++) {
            if (!model.uses(k)) continue;
            var place = problem.places().get(k);
            key.put(k).put(place.bytes()).put(place.toWrite(0)).put(place.toWrite(1L << 40));
            key.put(place.toRead(0)).put(place.toRead(1L << 40));
        }
        return key;
    }
}
