package dev.ebb.ir;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** A map whose lookup throws for a missing key instead of returning null. */
public final class Table<K, V> {
    private final Map<K, V> entries = new HashMap<>();

    public Table() {}

    public void put(K key, V value) {
        entries.put(key, value);
    }

    /** The value of {@code key}, which must be present. */
    public V at(K key) {
        var value = entries.get(key);
        if (value == null) throw new IllegalStateException("nothing is known of " + key);
        return value;
    }

    public Optional<V> find(K key) {
        return Optional.ofNullable(entries.get(key));
    }

    public boolean has(K key) {
        return entries.containsKey(key);
    }
}
