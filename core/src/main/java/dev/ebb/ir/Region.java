package dev.ebb.ir;

import java.util.ArrayList;
import java.util.List;

/**
 * The regions of the user's program (layers, blocks) that enclose a node, outermost first. A
 * strategy may treat a region as a unit. Nodes of the backward half have the region of the forward
 * node they come from.
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
