package dev.ebb.plan;

import dev.ebb.ir.Node;
import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.Cost;
import dev.ebb.plan.schedule.Problem;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Different strategies in different regions; where regions nest, the innermost that has a rule
 * decides.
 */
public record PerRegion(List<Rule> rules, Strategy otherwise) implements Strategy {

    /** The strategy for all regions of one name. */
    public record Rule(String region, Strategy strategy) {}

    public PerRegion {
        rules = List.copyOf(rules);
    }

    /** This, and another strategy in one more region. */
    public PerRegion in(String region, Strategy strategy) {
        var more = new ArrayList<>(rules);
        more.add(new Rule(region, strategy));
        return new PerRegion(more, otherwise);
    }

    /** One strategy for all regions, to be refined with {@link #in}. */
    public static PerRegion of(Strategy otherwise) {
        return new PerRegion(List.of(), otherwise);
    }

    /** Loops follow the strategy that holds everywhere else. */
    @Override
    public int states(int iterations) {
        return otherwise.states(iterations);
    }

    @Override
    public Set<Value> keeps(Problem problem, Cost cost) {
        var choices = new ArrayList<Set<Value>>();
        for (Rule rule : rules) choices.add(rule.strategy.keeps(problem, cost));
        var rest = otherwise.keeps(problem, cost);
        var kept = new LinkedHashSet<Value>();
        for (Node node : problem.graph().nodes()) {
            if (node.reverse()) continue;
            int rule = rule(node.region().path());
            for (Value v : node.outputs())
                if ((rule < 0 ? rest : choices.get(rule)).contains(v)) kept.add(v);
        }
        return kept;
    }

    private int rule(List<String> path) {
        for (String name : path.reversed()) {
            for (int i = rules.size() - 1; i >= 0; i--)
                if (rules.get(i).region.equals(name)) return i;
        }
        return -1;
    }
}
