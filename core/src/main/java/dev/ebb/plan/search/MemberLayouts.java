package dev.ebb.plan.search;

import dev.ebb.plan.schedule.Layout;
import dev.ebb.plan.schedule.Problem;
import dev.ebb.plan.schedule.Schedule;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The layouts of the members of a problem's families, each made when it is first asked for. Several
 * threads may ask.
 */
public final class MemberLayouts {
    private final Problem problem;
    private final Function<Schedule, Layout> laidOut;
    private final Map<Member, Layout> layouts = new ConcurrentHashMap<>();
    private final Map<Member, Boolean> fitting = new ConcurrentHashMap<>();

    /**
     * @param problem the problem with all places of the families, including those that a member
     *     does not use
     * @param laidOut computes the layout of a schedule
     */
    public MemberLayouts(Problem problem, Function<Schedule, Layout> laidOut) {
        this.problem = problem;
        this.laidOut = laidOut;
    }

    public Layout of(Member member) {
        return layouts.computeIfAbsent(member, m -> of(schedule(m)));
    }

    public Layout of(Schedule schedule) {
        return laidOut.apply(schedule);
    }

    /** Whether the values that a member offloads fit their places. */
    public boolean fitPlaces(Member member) {
        return problem.places().isEmpty()
                || fitting.computeIfAbsent(member, m -> Layout.fitsPlaces(schedule(m)));
    }

    private Schedule schedule(Member member) {
        return new Schedule(problem, member.schedule().steps());
    }
}
