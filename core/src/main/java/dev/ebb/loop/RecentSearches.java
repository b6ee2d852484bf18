package dev.ebb.loop;

import dev.ebb.exec.Device;
import dev.ebb.ir.Graph;
import dev.ebb.plan.schedule.Binding;
import dev.ebb.plan.schedule.Cost;
import dev.ebb.plan.schedule.Place;
import dev.ebb.plan.schedule.Ways;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The most recent plan searches: another budget for the same program continues from the curves
 * found so far. The result of a search does not depend on earlier ones.
 */
public final class RecentSearches {
    /** The number of programs whose searches are kept, most recently used first. */
    private static final int MOST = 4;

    /** Everything that a search depends on. */
    record Key(
            Graph traced,
            List<Binding> bindings,
            Device device,
            Cost cost,
            boolean fusing,
            Ways ways,
            List<Place> places) {}

    private final Map<Key, ProgramSearch> latest = new LinkedHashMap<>(8, 0.75f, true);

    synchronized ProgramSearch of(Key key, Supplier<ProgramSearch> made) {
        var known = latest.get(key);
        if (known != null) return known;
        var search = made.get();
        latest.put(key, search);
        var eldest = latest.keySet().iterator();
        if (latest.size() > MOST) {
            eldest.next();
            eldest.remove();
        }
        return search;
    }
}
