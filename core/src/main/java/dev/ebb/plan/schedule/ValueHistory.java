package dev.ebb.plan.schedule;

import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What happens to one value in a schedule.
 *
 * @param computed how often its node is computed
 * @param rebuilt how often it is rebuilt from later values
 * @param exact whether it is rebuilt to the last bit, if at all
 * @param fetched the places from which it is fetched, one for each time
 * @param overwritten whether another value overwrites it
 * @param resident whether it is in the arena at the end
 * @param present for how many steps it is in the arena, all stays together
 */
public record ValueHistory(
        int computed,
        int rebuilt,
        boolean exact,
        List<Place> fetched,
        boolean overwritten,
        boolean resident,
        int present) {

    /** The history of a value that a schedule does not contain. */
    public static final ValueHistory NONE =
            new ValueHistory(0, 0, true, List.of(), false, false, 0);

    /** The history of every value of {@code schedule}. */
    public static Map<Value, ValueHistory> of(Schedule schedule) {
        var all = new HashMap<Value, Counts>();
        schedule.tell(
                new ScheduleListener() {
                    private Counts of(Value value) {
                        return all.computeIfAbsent(value, _ -> new Counts());
                    }

                    @Override
                    public void starts(Value param) {
                        enters(0, param);
                    }

                    @Override
                    public void runs(int step, Step.Work work, Run how) {
                        for (Value v : work.node().outputs()) {
                            if (how == Run.INVERTED) of(v).rebuilt++;
                            else of(v).computed++;
                        }
                        if (work instanceof Step.Invert(var inversion, _))
                            of(inversion.value()).exact &= inversion.exact();
                    }

                    @Override
                    public void overwrites(int step, Value from, Value into) {
                        of(from).overwritten = true;
                        frees(step, from);
                        enters(step, into);
                    }

                    @Override
                    public void enters(int step, Value value) {
                        of(value).since = step;
                    }

                    @Override
                    public void frees(int step, Value value) {
                        of(value).present += step - of(value).since;
                        of(value).since = -1;
                    }

                    @Override
                    public void fetches(int step, Value value, Place place) {
                        of(value).fetched.add(place);
                    }
                });
        var histories = new HashMap<Value, ValueHistory>();
        all.forEach((v, counts) -> histories.put(v, counts.history(schedule.steps().size())));
        return histories;
    }

    private static final class Counts {
        private int computed;
        private int rebuilt;
        private boolean exact = true;
        private final List<Place> fetched = new ArrayList<>();
        private boolean overwritten;
        private int since = -1;
        private int present;

        ValueHistory history(int end) {
            boolean stays = since >= 0;
            int all = present + (stays ? end - since : 0);
            return new ValueHistory(computed, rebuilt, exact, fetched, overwritten, stays, all);
        }
    }
}
