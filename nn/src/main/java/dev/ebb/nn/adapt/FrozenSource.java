package dev.ebb.nn.adapt;

import dev.ebb.Tensorwise;
import dev.ebb.nn.Projection;
import dev.ebb.nn.adapt.QuantisedDense.Bits;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.model.AutoregressiveModel;
import dev.ebb.nn.model.PretrainedFile;
import dev.ebb.nn.model.Weights;
import dev.ebb.tensor.Array;

import java.util.List;
import java.util.Optional;

/**
 * Reads a published model that is to be frozen from its file, tensor by tensor, optionally with
 * quantised dense layers. At most one of its layers is in memory at a time.
 */
public final class FrozenSource {
    private static final String CODES = ".codes";
    private static final String SCALES = ".scales";

    private final PretrainedFile file;
    private final AutoregressiveModel blank;
    private final List<String> names;
    private final List<String> stored;
    private final Optional<Bits> bits;

    /**
     * The layer that was quantised last; its codes and scales are requested one after the other.
     */
    private Optional<Rounded> last = Optional.empty();

    private record Rounded(String path, QuantisedDense layer) {}

    private FrozenSource(PretrainedFile file, Optional<Bits> bits) {
        this.file = file;
        this.bits = bits;
        blank =
                bits.map(
                                b ->
                                        Weights.blank(
                                                file.blank()
                                                        .rewritten(
                                                                (_, layer) ->
                                                                        QuantisedDense.like(
                                                                                layer, b))))
                        .orElse(file.blank());
        names = Tensorwise.names(blank);
        stored = Tensorwise.names(file.blank());
    }

    /** With unquantised weights, in f32. */
    public static FrozenSource of(PretrainedFile file) {
        return new FrozenSource(file, Optional.empty());
    }

    /** With the dense layers of its blocks quantised. */
    public static FrozenSource of(PretrainedFile file, Bits bits) {
        return new FrozenSource(file, Optional.of(bits));
    }

    /** The model's structure, with zeros for matrices. */
    public AutoregressiveModel blank() {
        return blank;
    }

    /** One tensor, by its index in {@link Tensorwise#list}. */
    public Array read(int place) throws FileFormatException {
        var name = names.get(place);
        if (bits.isPresent() && name.endsWith(CODES))
            return (Array) rounded(name.substring(0, name.length() - CODES.length())).codes();
        if (bits.isPresent() && name.endsWith(SCALES))
            return (Array) rounded(name.substring(0, name.length() - SCALES.length())).scales();
        return file.read(stored.indexOf(name));
    }

    private QuantisedDense rounded(String path) throws FileFormatException {
        if (last.isEmpty() || !last.get().path.equals(path)) {
            var weight = file.read(stored.indexOf(path + ".weight"));
            var layer = (QuantisedDense) QuantisedDense.of(new Projection(weight), bits.get());
            last = Optional.of(new Rounded(path, layer));
        }
        return last.get().layer;
    }
}
