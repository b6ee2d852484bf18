package dev.ebb.loop;

import dev.ebb.exec.Device;
import dev.ebb.exec.loop.ControlKernels;
import dev.ebb.exec.loop.Scratch;
import dev.ebb.ir.CheckpointArea;
import dev.ebb.ir.Control;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Value;
import dev.ebb.pass.Loops;
import dev.ebb.pass.Reversals;
import dev.ebb.pass.ReversedIteration;
import dev.ebb.plan.Planner;
import dev.ebb.plan.schedule.Cost;
import dev.ebb.plan.schedule.Place;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Plans loops and branches by a user's strategy. The strategy gives the number of states a loop
 * keeps. An iteration and its reverse are planned by the strategy as one program; the tape holds
 * the values that this plan keeps from the iteration to its reverse. Every body is run as the
 * strategy plans it.
 */
final class StrategyLoops {
    private record Key(Graph body, int outside, int carried) {}

    private final Planner strategy;
    private final Cost cost;
    private final Device device;
    private final List<Place> places;
    private final Map<Graph, Set<Value>> tapes = new HashMap<>();
    private final Map<Key, Graph> bodies = new HashMap<>();

    StrategyLoops(Planner strategy, Cost cost, Device device, List<Place> places) {
        this.strategy = strategy;
        this.cost = cost;
        this.device = device;
        this.places = places;
    }

    /** {@code merged} with loops reversed and bodies planned by the strategy. */
    Graph planned(Graph merged) {
        return bodies(Reversals.within(merged, this::plan));
    }

    private Graph bodies(Graph graph) {
        return Loops.with(graph, this::bodies);
    }

    private Control bodies(Control control) {
        return ControlKernels.rewritten(control, this::body);
    }

    private Graph body(Graph body, int outside, int carried) {
        if (body.nodes().isEmpty()) return body;
        var key = new Key(body, outside, carried);
        var known = bodies.get(key);
        if (known != null) return known;
        var problem = ControlKernels.problem(bodies(body), outside, carried, device);
        var planned = Scratch.remove(strategy.planBody(problem, cost).asGraph());
        bodies.put(key, planned);
        return planned;
    }

    private Optional<Reversals.CheckpointPlan> plan(Reversals.Reversed loop) {
        var kept = tapes.computeIfAbsent(loop.iteration().graph(), _ -> tape(loop.iteration()));
        long tape = loop.iteration().tapeBytes(kept);
        int most =
                loop.isLengthKnown()
                        ? loop.iterations()
                        : Math.min(loop.iterations(), LoopTapes.UNKNOWN_STATES);
        int states = strategy.states(loop.iterations());
        if (loop.isLengthKnown() && states >= loop.iterations()) {
            long all = Math.max(1, loop.iterations()) * tape;
            return Optional.of(
                    new Reversals.CheckpointPlan(
                            new CheckpointArea(all, loop.state(), tape, Integer.MAX_VALUE), kept));
        }
        int last = Math.max(0, places.size() - 1);
        var area = CheckpointArea.slots(Math.min(states, most), loop.state(), tape);
        boolean shared = loop.mayOffload() && loop.state() > 0;
        return Optional.of(
                new Reversals.CheckpointPlan(
                        shared
                                ? area.above(strategy.offloaded(loop.iterations()), last)
                                        .movingBeside()
                                : area,
                        kept));
    }

    /** The values of an iteration that the strategy keeps for its reverse. */
    private Set<Value> tape(ReversedIteration iteration) {
        return LoopTapes.search(iteration).kept(problem -> strategy.planBody(problem, cost));
    }
}
