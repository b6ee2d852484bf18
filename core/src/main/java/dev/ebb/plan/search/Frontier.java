package dev.ebb.plan.search;

import dev.ebb.plan.cache.SearchCache;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The trade-off of memory against time of one problem: a family of plans, each the cheapest found
 * for its peak. It depends on the problem and the costs alone, not on the budgets asked for.
 *
 * <p>The search goes downwards: from computing everything once, the memory bound is lowered level
 * by level, each plan derived from the one above and improved by {@link NeighbourhoodSearch}; then
 * upwards, where a plan from below may beat the one found before. The generations are always the
 * same, as many as the smallest budget so far needs. A budget is answered from the first
 * generations that have a plan for it, with the next one where values can be moved, and no later
 * plan is cheaper: so the answer does not depend on earlier requests, and more memory never costs
 * time.
 */
public final class Frontier {
    /** The replayed steps per node that one attempt to fit a bound may take. */
    private static final long ATTEMPT_PER_NODE = 3_000L;

    /** The randomness in the choices, for when the greedy choice fails. */
    private static final double[] NOISES = {0, 0.5, 1};

    /** The curve is steep where one level less costs this share of computing everything once. */
    private static final double STEEP = 0.02;

    /** A generation is final when the next plans are known, from which its own may improve. */
    private static final int AHEAD = 2;

    private final SearchModel model;
    private final MemberTimes times;
    private final SmallerFamilies smaller;
    private final CachedGenerations known;
    private final NeighbourhoodSearch search;
    private final List<int[]> orders;

    /** Orders for where no plan derived from the others fits. */
    private final List<int[]> slower;

    private final MemoryLevels levels;
    private final long share;

    /** A lower bound on the memory of every plan. */
    final long floor;

    /** The members of each generation, in the order in which they were found. */
    private final List<List<Member>> generations = new ArrayList<>();

    /** The further plans that were known when each generation was made. */
    private final List<List<Member>> beyond = new ArrayList<>(List.of(List.of()));

    /** Known plans that are not yet in a generation, highest bound first. */
    private final List<Member> pending = new ArrayList<>();

    private final HeldBack heldBack;

    /** The plan that rebuilds all it can by inverses, until it is used. */
    private Optional<Member> walkedBack;

    private Member above;
    private int level;

    /** Whether no lower level has a plan. */
    private boolean ended;

    /** Whether the least memory has been searched for, in the last generation. */
    private boolean settled;

    /** The plans of one more way, and cheaper ones of the {@code smaller} families. */
    Frontier(SearchModel model, List<Frontier> smaller, SearchEffort effort, SearchCache cache) {
        this.model = model;
        times = new MemberTimes(model);
        this.smaller = new SmallerFamilies(smaller);
        var before = smaller.stream().map(s -> s.known).toList();
        known = new CachedGenerations(model, before, effort, cache);
        search = new NeighbourhoodSearch(model);
        share = effort.share(model.nodes.size());
        var ordering = new Ordering(model);
        walkedBack =
                model.problem.inversions().isEmpty()
                        ? Optional.empty()
                        : new Replay(model, ordering).inverting().map(this::complete);
        var first = members(ordering);
        long storeAll = first.getFirst().peak();
        long top = smaller.isEmpty() ? storeAll : smaller.getFirst().levels.storeAll();
        levels = new MemoryLevels(top, storeAll, effort.levels(model.nodes.size()));
        var sorted = first.stream().sorted(times.byMemory(levels.step())).toList();
        orders = sorted.stream().map(Member::sequence).toList();
        var slow = ordering.isHurried() ? members(new Ordering(model, false)) : List.<Member>of();
        slower = slow.stream().map(Member::sequence).toList();
        above = sorted.getFirst();
        heldBack = new HeldBack(model.mayMove() ? STEEP * model.total() : Double.MAX_VALUE);
        var timed = MemberTimes.pruned(heldBack.first(times.of(first), top));
        generations.add(timed.stream().filter(m -> !isBehind(m)).toList());
        floor = LowerBounds.peak(model);
        level = levels.highest();
    }

    /** The number of generations so far. */
    int size() {
        return generations.size();
    }

    /**
     * The cheapest member with a peak of at most {@code bytes} that {@code fits}, of the first
     * generations that have one and those {@link #searchedBeyond} them.
     */
    public Optional<Member> answer(long bytes, Predicate<Member> fits) {
        for (int count = 1; bytes >= floor && has(count); count++) {
            var found = cheapest(count, bytes, fits);
            if (found.isEmpty()) continue;
            int beyond = searchedBeyond(count);
            var cheaper = cheapest(has(beyond) ? beyond : count, bytes, fits).orElse(found.get());
            return Optional.of(cheaper.extra() < found.get().extra() ? cheaper : found.get());
        }
        return Optional.empty();
    }

    /** Searches until there are {@code count} generations; false if there are not so many. */
    private synchronized boolean has(int count) {
        while (size() < count) if (!grow()) return false;
        return true;
    }

    private Optional<Member> cheapest(int count, long bytes, Predicate<Member> fits) {
        return members(count).stream().filter(m -> m.peak() <= bytes && fits.test(m)).findFirst();
    }

    /**
     * The number of generations that answer a budget for which the first {@code count} have a plan.
     * Without transfers less memory takes more time, and these suffice. With transfers, a plan of
     * the next generation may take less time, which is worth a search if there is time to save.
     */
    private int searchedBeyond(int count) {
        boolean cheap = mostExtra(count) <= STEEP * model.total();
        return !model.mayMove() || cheap ? count : count + 1;
    }

    /** The cost of the smallest plan of the first generations, which no other exceeds, if any. */
    private double mostExtra(int count) {
        var known = members(count);
        return known.isEmpty() ? 0 : known.getLast().extra();
    }

    /** The members of the first {@code count} generations; largest peak first, cheapest first. */
    synchronized List<Member> members(int count) {
        var all = new ArrayList<Member>();
        for (var generation : generations.subList(0, count)) all.addAll(generation);
        return MemberTimes.pruned(all);
    }

    /** Every member, after searching to the end. */
    public List<Member> all() {
        int count = 1;
        while (has(count + 1)) count++;
        return members(count);
    }

    /** Searches one more generation, with less memory; false if there is none. */
    boolean grow() {
        return grow(true);
    }

    /** The same, but without the last generation unless {@code settling}. */
    private boolean grow(boolean settling) {
        if (!settling && known.isLast(size())) return false;
        if (known.next(generations, beyond)) return true;
        if (known.isComplete()) return false;
        int count = known.end(generations, beyond);
        while (generations.size() < count) search();
        if (settled || (ended && !settling)) return false;
        search();
        known.put(generations, beyond, settled);
        return true;
    }

    /** The number of generations so far without the last one, which searches the least memory. */
    private int levelled() {
        return settled || known.isLast(size() - 1) ? size() - 1 : size();
    }

    private void search() {
        if (ended) {
            settleLeast();
            settled = true;
        }
        int stop = Math.max(0, levels.lowest(size()) - AHEAD);
        while (!ended && level > stop) descend();
        if (level == 0) ended = true;
        ascend(share / 8);
        int kept = ended ? 0 : Math.min(AHEAD, pending.size());
        var own = pending.subList(0, pending.size() - kept);
        double least = leastExtra();
        var found = heldBack.inReach(times.of(own), ended ? 0 : levels.reach(size()));
        generations.add(found.stream().filter(m -> m.extra() >= least && !isBehind(m)).toList());
        own.clear();
        beyond.add(times.of(pending));
    }

    /**
     * The least cost of a plan in the next generation: a plan for more memory that may have been
     * returned already must not cost more.
     */
    private double leastExtra() {
        double least = 0;
        for (int count = 1; count <= size(); count++)
            if (searchedBeyond(count) <= size()) least = Math.max(least, mostExtra(count));
        return least;
    }

    /** The cheapest known plan under {@code bound}, without searching for the least memory. */
    synchronized Optional<Member> first(long bound) {
        for (int count = 1; bound >= floor && (count <= levelled() || grow(false)); count++) {
            var known = new ArrayList<>(members(count));
            known.addAll(beyond.get(count - 1));
            for (var member : MemberTimes.pruned(known))
                if (member.peak() <= bound) return Optional.of(member);
        }
        return Optional.empty();
    }

    private boolean isBehind(Member own) {
        return own.model() == model && smaller.areAsFast(own);
    }

    private List<Member> members(Ordering ordering) {
        return Stream.of(ordering.plain(), ordering.tidy(), ordering.thrifty())
                .map(this::complete)
                .toList();
    }

    private Member complete(int[] nodes) {
        return Member.of(model, Transfers.complete(model, nodes));
    }

    private Member current() {
        var now = search.squeeze().current();
        return new Member(model, now.sequence(), now.peak, now.extra);
    }

    /** Goes one memory bound down, if there is one. */
    private void descend() {
        level--;
        long bound = levels.bound(level);
        if (level == 0 || bound < floor) {
            ended = true;
            return;
        }
        var rival = smaller.cheapest(bound);
        if (bound >= above.peak()) {
            rival.filter(r -> times.isFaster(r, above)).ifPresent(pending::add);
            return;
        }
        boolean full = level % 5 == 0;
        long allowance = full ? share : share / 8;
        var found =
                rival.isPresent()
                        ? against(rival.get(), bound, full, allowance)
                        : under(above, bound, full, allowance);
        if (found == null) {
            ended = !walkBack();
            return;
        }
        boolean own = found.model() == model && (rival.isEmpty() || !model.mayMove());
        if (own && times.of(found).extra() - times.of(above).extra() > STEEP * model.total())
            found = inTwo(bound, found);
        boolean behind = rival.isPresent() && times.isFaster(rival.get(), found);
        pending.add(behind ? rival.get() : found);
        above = found;
    }

    /**
     * The plan under {@code bound} from which to go on, where a smaller family has {@code rival}:
     * the cheaper one. With places that is the rival unless this family finds a faster one at once,
     * or the rival keeps in memory what this family offloads from the start.
     */
    private @Nullable Member against(Member rival, long bound, boolean full, long allowance) {
        if (!model.mayMove()) {
            var own = under(above, bound, full, allowance);
            return own == null || rival.extra() < own.extra() ? rival : own;
        }
        var found = squeezed(above.sequence(), bound, 0);
        if (found != null && times.isFaster(found, rival)) return improved(found, bound, allowance);
        if (search.squeeze().start(rival.sequence())) return rival;
        if (found == null) return under(above, bound, false, 0);
        return improved(found, bound, allowance / 4);
    }

    /** Continues from the plan that rebuilds all it can, if that needs less memory. */
    private boolean walkBack() {
        var back = walkedBack;
        walkedBack = Optional.empty();
        if (back.isEmpty() || back.get().peak() >= above.peak()) return false;
        var walked = back.get();
        for (int k = level; levels.bound(k) > walked.peak(); k--) {
            search.squeeze().start(walked.sequence());
            search.squeeze().relax(levels.bound(k));
            pending.add(current());
        }
        above = Member.of(model, search.improve(walked.sequence(), walked.peak(), share));
        pending.add(above);
        return true;
    }

    /** Adds a memory bound where the curve is steep; this may lead to better plans below. */
    private Member inTwo(long bound, Member found) {
        var middle = under(above, bound + (above.peak() - bound) / 2, true, share / 4);
        if (middle == null || !times.isFaster(middle, found)) return found;
        pending.add(middle);
        var better = under(middle, bound, false, share / 8);
        return better != null && times.isFaster(better, found) ? better : found;
    }

    /** Bisects towards the least memory that works. */
    private void settleLeast() {
        int rounds = model.nodes.size() > SearchEffort.LARGE ? 2 : 5;
        long failed = Math.max(floor - 1, above.peak() - levels.step());
        long near = Math.max(1, levels.storeAll() / 2000);
        for (int k = 0; k < rounds && above.peak() - failed > near; k++) {
            long bound = failed + (above.peak() - failed) / 2;
            var found = under(above, bound, false, share / 8);
            if (found == null) {
                failed = bound;
            } else {
                above = found;
                pending.add(found);
            }
        }
    }

    /**
     * The cheapest plan found under {@code bound}: derived from the plan above it and, if {@code
     * full} or necessary, from the start; null if none.
     */
    private @Nullable Member under(Member from, long bound, boolean full, long allowance) {
        var starts = new ArrayList<>(List.of(from.sequence()));
        boolean large = model.nodes.size() > SearchEffort.LARGE;
        Member best = null;
        for (double noise : NOISES) {
            if (large && noise > 0) break;
            best = fastest(starts, bound, noise, best);
            if (noise == 0 && (best == null || (full && !large))) {
                starts.addAll(large ? orders.subList(0, 1) : orders);
                best = fastest(starts.subList(1, starts.size()), bound, noise, best);
            }
            if (noise == 0 && best == null) {
                best = fastest(slower, bound, noise, best);
                starts.addAll(slower);
            }
            if (best != null) return improved(best, bound, allowance);
        }
        return null;
    }

    /**
     * A plan found by more search. That counts transfers as if nothing overlapped with them, so it
     * is of use only where the computation waits for them.
     */
    private Member improved(Member found, long bound, long allowance) {
        if (model.mayMove() && times.waiting(found) <= STEEP * model.total()) return found;
        return Member.of(model, search.improve(found.sequence(), bound, allowance));
    }

    private @Nullable Member fastest(
            List<int[]> starts, long bound, double noise, @Nullable Member known) {
        var best = known;
        for (int[] start : starts) best = times.faster(best, squeezed(start, bound, noise));
        return best;
    }

    private @Nullable Member squeezed(int[] start, long bound, double noise) {
        var squeeze = search.squeeze();
        if (!squeeze.start(start) || !squeeze.to(bound, noise, ATTEMPT_PER_NODE * start.length))
            return null;
        squeeze.relax(bound);
        return current();
    }

    /** Tries at each memory bound to relax this family's plan of a lower one. */
    private void ascend(long allowance) {
        for (int i = pending.size() - 2; i >= 0; i--) {
            var own = pending.get(i);
            var below = pending.get(i + 1);
            if (below.model() != model) continue;
            long bound = own.peak();
            search.squeeze().start(below.sequence());
            search.squeeze().relax(bound);
            var relaxed = current();
            if (times.isFaster(relaxed, own)) pending.set(i, improved(relaxed, bound, allowance));
        }
    }
}
