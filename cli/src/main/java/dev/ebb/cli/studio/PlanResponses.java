package dev.ebb.cli.studio;

import dev.ebb.plan.Plan;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The responses for the budgets of one model, with the least recently used ones dropped. */
final class PlanResponses {
    private static final int MOST = 48;

    /**
     * A stored response.
     *
     * @param complete whether all figures of the plan were known when it was made
     */
    private record Ready(byte[] json, Optional<Plan> plan, boolean complete) {}

    private final Map<Long, Ready> all =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<Long, Ready> eldest) {
                    return size() > MOST;
                }
            };

    void put(long budget, byte[] json, Plan plan) {
        all.put(budget, new Ready(json, Optional.of(plan), true));
    }

    /** Stores the response for a budget for which there is no plan. */
    void refuse(long budget, byte[] json) {
        all.put(budget, new Ready(json, Optional.empty(), true));
    }

    /**
     * Marks all responses as incomplete, because more figures are known now. They are still used as
     * nearest responses.
     */
    void outdate() {
        all.replaceAll((_, ready) -> new Ready(ready.json, ready.plan, false));
    }

    /** The response for this budget. */
    Optional<byte[]> at(long budget) {
        return Optional.ofNullable(all.get(budget)).filter(Ready::complete).map(Ready::json);
    }

    Optional<Plan> plan(long budget) {
        return Optional.ofNullable(all.get(budget)).flatMap(Ready::plan);
    }

    /**
     * The plan of the nearest budget, preferably one below, which fits this budget too; empty if
     * there is none.
     */
    Optional<byte[]> near(long budget) {
        var plans = new TreeMap<Long, byte[]>();
        all.forEach((bytes, r) -> r.plan.ifPresent(_ -> plans.put(bytes, r.json)));
        var nearest = Optional.ofNullable(plans.floorEntry(budget));
        return nearest.or(() -> Optional.ofNullable(plans.ceilingEntry(budget)))
                .map(entry -> marked(entry.getValue()));
    }

    private static byte[] marked(byte[] json) {
        var before = "{\"state\":\"near\",\"plan\":".getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(before.length + json.length + 1)
                .put(before)
                .put(json)
                .put((byte) '}')
                .array();
    }

    /**
     * 1/2, 1/4, 3/4, 1/8, 5/8 ...: the van der Corput sequence, in which the binary digits of
     * {@code n} are reversed.
     */
    static double coarseToFine(int n) {
        double share = 0;
        double half = 0.5;
        for (int rest = n; rest > 0; rest >>= 1) {
            if ((rest & 1) == 1) share += half;
            half /= 2;
        }
        return share;
    }
}
