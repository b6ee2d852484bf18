package dev.ebb.nn.file;

import java.nio.file.Path;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;

/**
 * Reads a JSON object that determines a computation, such as a model's config.json, key by key. It
 * records which keys were read; {@link #refuseOthers} refuses every other key that is not known to
 * be harmless, because it might change the result. A key whose value is null counts as absent.
 */
public final class ConfigKeys {
    private final Path file;
    private final String path;
    private final SequencedMap<String, Json> members;
    private final Set<String> asked = new HashSet<>();

    private ConfigKeys(Path file, String path, SequencedMap<String, Json> members) {
        this.file = file;
        this.path = path;
        this.members = members;
    }

    public static ConfigKeys of(Path file, Json json) throws FileFormatException {
        if (json instanceof Json.Obj(var members)) return new ConfigKeys(file, "", members);
        throw new FileFormatException(file, "the config should be a JSON object, not " + json);
    }

    /** The keys of a missing config. */
    public static ConfigKeys none(Path file) {
        return new ConfigKeys(file, "", Collections.emptyNavigableMap());
    }

    private Optional<Json> at(String key) {
        asked.add(key);
        return Optional.ofNullable(members.get(key)).filter(v -> !(v instanceof Json.Nothing));
    }

    /** Whether a key is absent; one whose value is null is not. */
    public boolean leavesOut(String key) {
        return !members.containsKey(key);
    }

    /** The value of a key, unconverted. */
    public Optional<Json> value(String key) {
        return at(key);
    }

    /** A size: an integer of at least 1. */
    public Optional<Integer> size(String key) throws FileFormatException {
        var value = at(key);
        if (value.isEmpty()) return Optional.empty();
        var n = value.get().whole();
        if (n.isEmpty() || n.get() < 1 || n.get() > Integer.MAX_VALUE) {
            throw wrong(key, "a whole number from 1 to " + Integer.MAX_VALUE);
        }
        return Optional.of(n.get().intValue());
    }

    public int requiredSize(String key) throws FileFormatException {
        var size = size(key);
        if (size.isPresent()) return size.get();
        throw new FileFormatException(
                file,
                path
                        + key
                        + " is not known, and the tensors do not tell it: put the model's"
                        + " config.json beside the file");
    }

    public Optional<Double> number(String key) throws FileFormatException {
        var value = at(key);
        if (value.isEmpty()) return Optional.empty();
        var x = value.get().number().filter(Double::isFinite);
        if (x.isEmpty()) throw wrong(key, "a number");
        return x;
    }

    public double requiredNumber(String key) throws FileFormatException {
        var number = number(key);
        if (number.isPresent()) return number.get();
        throw missing(key);
    }

    public Optional<String> text(String key) throws FileFormatException {
        var value = at(key);
        if (value.isEmpty()) return Optional.empty();
        var text = value.get().text();
        if (text.isEmpty()) throw wrong(key, "a text");
        return text;
    }

    public Optional<Boolean> truth(String key) throws FileFormatException {
        var value = at(key);
        if (value.isEmpty()) return Optional.empty();
        var truth = value.get().truth();
        if (truth.isEmpty()) throw wrong(key, "true or false");
        return truth;
    }

    /** The keys of a nested object. */
    public Optional<ConfigKeys> inside(String key) throws FileFormatException {
        var value = at(key);
        if (value.isEmpty()) return Optional.empty();
        if (value.get() instanceof Json.Obj(var inner))
            return Optional.of(new ConfigKeys(file, path + key + ".", inner));
        throw wrong(key, "an object");
    }

    /** The keys of an object in the list at {@code key}. */
    public ConfigKeys item(String key, int index, Json item) throws FileFormatException {
        var place = path + key + "[" + index + "]";
        if (item instanceof Json.Obj(var inner)) return new ConfigKeys(file, place + ".", inner);
        throw new FileFormatException(file, place + " is " + item + ", but an object is expected");
    }

    /** The location of a key for a message: the file and the path to the key. */
    public String place(String key) {
        return file + ": " + path + key;
    }

    /** The exception for a file without a required key. */
    public FileFormatException missing(String key) {
        return new FileFormatException(file, path + key + " is missing");
    }

    /** Throws if a size in the file is not that of the tensors. */
    public void expect(String key, int ofTensors) throws FileFormatException {
        var size = size(key);
        if (size.isPresent() && size.get() != ofTensors)
            throw wrong(key, ofTensors + ", which the tensors have,");
    }

    /** Throws if a switch in the file is not at the implemented setting. */
    public void expect(String key, boolean implemented) throws FileFormatException {
        var value = truth(key);
        if (value.isPresent() && value.get() != implemented)
            throw unknown(key, implemented + " is implemented");
    }

    /** The exception for a value of the right type that is not supported. */
    public FileFormatException unknown(String key, String instead) {
        return new FileFormatException(
                file, path + key + " is " + members.get(key) + "; " + instead);
    }

    private FileFormatException wrong(String key, String expected) {
        return new FileFormatException(
                file,
                path + key + " is " + members.get(key) + ", but " + expected + " is expected");
    }

    /** Throws if a key was not read and is not among {@code harmless}. */
    public void refuseOthers(Set<String> harmless) throws FileFormatException {
        var others = new LinkedHashMap<String, Json>();
        members.forEach(
                (key, value) -> {
                    boolean known = asked.contains(key) || harmless.contains(key);
                    if (!known && !(value instanceof Json.Nothing)) others.put(path + key, value);
                });
        if (others.isEmpty()) return;
        var first = others.firstEntry();
        throw new FileFormatException(
                file,
                first.getKey()
                        + " is "
                        + first.getValue()
                        + ", which Ebb does not know and which may change the result"
                        + (others.size() > 1 ? "; so are " + rest(others) : "")
                        + "; take the key out if it does not");
    }

    private static String rest(SequencedMap<String, Json> others) {
        var names = String.join(", ", others.sequencedKeySet());
        return names.substring(names.indexOf(", ") + 2);
    }
}
