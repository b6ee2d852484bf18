package dev.ebb.nn.model;

import dev.ebb.Tensorwise;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.ir.math.Sha256;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.LazyTensor;
import dev.ebb.nn.file.Safetensors;
import dev.ebb.nn.file.TensorSource;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.IntFunction;

/** Moves a model's tensors to and from files. */
public final class Weights {
    /** The note with the digest of a file. */
    public static final String DIGEST = "digest";

    private Weights() {}

    /** A model like {@code like} with the file's tensors, whose shapes are checked. */
    public static <M> M load(TensorSource file, M like, Naming naming) throws FileFormatException {
        var names = Tensorwise.names(like);
        var tensors = Tensorwise.list(like);
        var loaded = new ArrayList<Array>();
        for (int i = 0; i < tensors.size(); i++) {
            loaded.add(load(file, naming.place(names.get(i)), tensors.get(i).type()));
        }
        return Tensorwise.rebuild(like, loaded);
    }

    /** A model like {@code like} with zeros, in the memory of its largest tensor. */
    public static <M> M blank(M like) {
        var types = Tensorwise.list(like).stream().map(Tensor::type).toList();
        return Tensorwise.rebuild(like, Array.zeros(types));
    }

    /** Throws unless {@link #load} would find every tensor with its shape; reads no data. */
    public static void require(TensorSource file, Object like, Naming naming)
            throws FileFormatException {
        for (var stored : supplies(like, naming, _ -> Array.scalar(0f))) {
            file.require(stored.name(), stored.type());
        }
    }

    /** One tensor of a model like {@code like}, by its index in {@link Tensorwise#list}. */
    public static Array load(TensorSource file, Object like, Naming naming, int place)
            throws FileFormatException {
        return load(
                file,
                naming.place(Tensorwise.names(like).get(place)),
                Tensorwise.list(like).get(place).type());
    }

    private static Array load(TensorSource file, Naming.Place stored, Type type)
            throws FileFormatException {
        var read = file.read(stored.name(), stored.turned() ? turned(type) : type);
        return stored.turned() ? turned(read) : read;
    }

    /** The tensors of a model by their names in a file. */
    public static SequencedMap<String, Array> named(Object model, Naming naming) {
        var names = Tensorwise.names(model);
        var tensors = Tensorwise.list(model);
        var named = new LinkedHashMap<String, Array>();
        for (int i = 0; i < names.size(); i++) {
            var place = naming.place(names.get(i));
            var array = (Array) tensors.get(i);
            named.put(place.name(), place.turned() ? turned(array) : array);
        }
        return named;
    }

    /**
     * The tensors of a model by their names in a file, each made when it is requested.
     *
     * @param like a model of the same structure; only its types are used
     * @param at the tensor at an index of {@link Tensorwise#list}
     */
    public static List<LazyTensor> supplies(Object like, Naming naming, IntFunction<Array> at) {
        var names = Tensorwise.names(like);
        var types = Tensorwise.list(like).stream().map(Tensor::type).toList();
        var supplies = new ArrayList<LazyTensor>();
        for (int i = 0; i < names.size(); i++) {
            int place = i;
            var stored = naming.place(names.get(i));
            supplies.add(
                    stored.turned()
                            ? new LazyTensor(
                                    stored.name(),
                                    turned(types.get(i)),
                                    () -> turned(at.apply(place)))
                            : new LazyTensor(stored.name(), types.get(i), () -> at.apply(place)));
        }
        return supplies;
    }

    /** The number of parameters of a model. */
    public static long count(Object model) {
        return Tensorwise.list(model).stream().mapToLong(t -> t.type().size()).sum();
    }

    /** A digest of all bits of all tensors, with their names and types. */
    public static String digest(Object model) {
        return digest(named(model, Naming.own()));
    }

    /** A digest of names, types and bits. */
    public static String digest(SequencedMap<String, Array> tensors) {
        return digest(LazyTensor.of(tensors), List.of());
    }

    /** A digest of names, types and bits, and of {@code notes}. */
    public static String digest(List<LazyTensor> tensors, List<String> notes) {
        var sha = Sha256.start();
        for (var tensor : tensors) {
            var line = tensor.name() + " " + tensor.type() + "\n";
            sha.update(line.getBytes(StandardCharsets.UTF_8));
            feed(sha, tensor.data().get());
        }
        for (var note : notes) sha.update((note + "\n").getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(sha.digest());
    }

    private static String digest(List<LazyTensor> tensors, Map<String, String> notes) {
        return digest(
                tensors,
                notes.entrySet().stream()
                        .filter(n -> !n.getKey().equals(DIGEST))
                        .map(n -> n.getKey() + "=" + n.getValue())
                        .toList());
    }

    /** {@code notes}, and a note with a digest of all bits of tensors and notes. */
    public static Map<String, String> withDigest(
            List<LazyTensor> tensors, Map<String, String> notes) {
        var all = new LinkedHashMap<>(notes);
        all.put(DIGEST, digest(tensors, notes));
        return all;
    }

    /** Throws if tensors and notes of a file are not those of the digest in its notes. */
    public static void requireDigest(Path path, Safetensors file) throws FileFormatException {
        if (!digest(file.supplies(), file.metadata()).equals(file.metadata().get(DIGEST)))
            throw new FileFormatException(path, "corrupted: its content does not match its digest");
    }

    private static void feed(MessageDigest sha, Array array) {
        var chunk = new byte[1 << 16];
        long bytes = array.type().bytes();
        for (long at = 0; at < bytes; at += chunk.length) {
            int n = (int) Math.min(chunk.length, bytes - at);
            MemorySegment.copy(array.data().segment(), ValueLayout.JAVA_BYTE, at, chunk, 0, n);
            sha.update(chunk, 0, n);
        }
    }

    private static Type turned(Type type) {
        return type.with(Shape.of(type.shape().dim(1), type.shape().dim(0)));
    }

    private static Array turned(Array a) {
        int rows = a.shape().dim(0);
        int columns = a.shape().dim(1);
        return Array.make(
                turned(a.type()),
                b -> {
                    for (int i = 0; i < rows; i++) {
                        for (int j = 0; j < columns; j++)
                            b.set((long) j * rows + i, a.data().get((long) i * columns + j));
                    }
                });
    }
}
