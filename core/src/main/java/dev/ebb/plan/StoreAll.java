package dev.ebb.plan;

/** Computes every node once, in the graph's order, and frees each value after its last use. */
public record StoreAll() implements Planner {

    @Override
    public Schedule plan(Problem problem, Cost cost) {
        var model = new Model(problem, cost);
        return Script.of(model, new Ordering(model).plain());
    }
}
