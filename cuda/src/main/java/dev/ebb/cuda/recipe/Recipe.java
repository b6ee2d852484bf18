package dev.ebb.cuda.recipe;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The actions that compute a node. A recipe is data, made from the node's kernel and types alone,
 * and the same for every run.
 */
public record Recipe(List<Action> actions, long workspaceBytes) {
    public Recipe {
        actions = List.copyOf(actions);
    }

    public static Recipe of(Action... actions) {
        return new Recipe(List.of(actions), 0);
    }

    @Override
    public String toString() {
        return "// workspace: "
                + workspaceBytes
                + " bytes\n"
                + actions.stream().map(Recipe::text).collect(Collectors.joining("\n"));
    }

    private static String text(Action action) {
        return switch (action) {
            case Action.Launch l ->
                    "// launch "
                            + l.name()
                            + ": "
                            + l.blocks()
                            + " blocks of "
                            + l.threads()
                            + " threads, "
                            + l.sharedBytes()
                            + " bytes shared, on "
                            + l.operands()
                            + "\n"
                            + l.text();
            case Action.Zero z -> "// zero " + z.bytes() + " bytes of " + z.to() + "\n";
            case Action.Unless u ->
                    "// unless " + u.in() + " lies where " + u.out() + " does:\n" + text(u.first());
            case Action.Product p -> "// product " + p + "\n";
        };
    }
}
