package dev.ebb.ir;

import java.util.ArrayList;
import java.util.List;

/**
 * Where in the user's program a node was written: the regions around it, outermost first. A
 * strategy may treat a region (a layer, a block) as one; the backward half keeps the region it came
 * from.
 */
public record Region(List<String> path) {

    public static final Region TOP = new Region(List.of());

    public Region {
        path = List.copyOf(path);
    }

    public Region enter(String name) {
        var inner = new ArrayList<>(path);
        inner.add(name);
        return new Region(inner);
    }

    public boolean isTop() {
        return path.isEmpty();
    }

    @Override
    public String toString() {
        return String.join("/", path);
    }
}
