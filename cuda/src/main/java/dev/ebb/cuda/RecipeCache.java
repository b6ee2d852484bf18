package dev.ebb.cuda;

import dev.ebb.cuda.recipe.Action;
import dev.ebb.cuda.recipe.Operand;
import dev.ebb.cuda.recipe.Recipe;
import dev.ebb.cuda.text.Recipes;
import dev.ebb.ir.Control;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;
import dev.ebb.ir.math.Checks;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Caches the recipes of nodes. A program needs a node's recipe when it is planned, compiled and
 * bound, and equal layers have equal recipes. The cache is emptied when it is full.
 */
final class RecipeCache {
    /** The most recipes in the cache. */
    private static final int MOST = 4096;

    private final Precision precision;
    private final Map<Key, Optional<Recipe>> latest = new HashMap<>();

    /** Everything besides the precision on which a recipe depends. */
    private record Key(Kernel kernel, List<DType> in, List<DType> out) {}

    RecipeCache(Precision precision) {
        this.precision = precision;
    }

    /** The recipe of a node; none if it runs on the host. */
    Optional<Recipe> recipe(Node node) {
        var kernel = node.kernel();
        if (kernel instanceof Control || kernel instanceof Kernel.Library) return Optional.empty();
        var key =
                new Key(
                        kernel,
                        node.inputTypes().stream().map(Type::dtype).toList(),
                        node.results().stream().map(Value::type).map(Type::dtype).toList());
        synchronized (latest) {
            if (latest.size() >= MOST) latest.clear();
            return latest.computeIfAbsent(
                    key, k -> Recipes.of(k.kernel(), k.in(), k.out(), precision));
        }
    }

    /** The kernels of these nodes and of the bodies of their loops and branches, each text once. */
    List<Action.Launch> of(List<Node> nodes) {
        var found = new LinkedHashMap<String, Action.Launch>();
        add(nodes, found);
        return new ArrayList<>(found.values());
    }

    private void add(List<Node> nodes, Map<String, Action.Launch> found) {
        for (var node : nodes) {
            if (node.kernel() instanceof Control control) {
                for (var body : control.bodies()) add(body.nodes(), found);
                continue;
            }
            recipe(node).ifPresent(r -> launches(r).forEach(l -> found.putIfAbsent(l.text(), l)));
        }
    }

    /** The kernels of a recipe. */
    static List<Action.Launch> launches(Recipe recipe) {
        return recipe.actions().stream().flatMap(a -> launch(a).stream()).toList();
    }

    private static Optional<Action.Launch> launch(Action action) {
        return switch (action) {
            case Action.Launch l -> Optional.of(l);
            case Action.Unless u -> launch(u.first());
            case Action.Zero _, Action.Product _ -> Optional.empty();
        };
    }

    /** Whether the kernels of a recipe may record an index out of bounds or a division by zero. */
    static boolean canFault(Recipe recipe) {
        return launches(recipe).stream()
                .flatMap(l -> l.operands().stream())
                .anyMatch(Operand.Fault.class::isInstance);
    }

    /**
     * Throws the error that a kernel of a node has recorded: an index out of bounds or a division
     * by zero.
     */
    static void throwFault(Node node, long noted) {
        if (node.kernel() instanceof Kernel.Gather k) Checks.index(noted, k.bound());
        else if (node.kernel() instanceof Kernel.Scatter k) Checks.index(noted, k.bound());
        else Checks.quotient(noted, 0);
    }
}
