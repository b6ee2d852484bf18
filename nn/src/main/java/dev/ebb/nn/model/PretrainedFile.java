package dev.ebb.nn.model;

import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.TensorSource;
import dev.ebb.tensor.Array;

import java.nio.file.Path;

/**
 * A published model in its file, checked: every tensor exists with its shape, and every key is
 * used. Tensors are read on request, so a model can be loaded into a program's memory without a
 * second copy.
 */
public final class PretrainedFile implements AutoCloseable {
    private final TensorSource tensors;
    private final Loading.Found<? extends AutoregressiveModel> found;

    PretrainedFile(TensorSource tensors, Loading.Found<? extends AutoregressiveModel> found) {
        this.tensors = tensors;
        this.found = found;
    }

    /** The file of tensors, or the index of several. */
    public Path file() {
        return tensors.file();
    }

    /** The model's structure, with zeros for matrices. */
    public AutoregressiveModel blank() {
        return found.blank();
    }

    /** The name of each of its tensors in the file. */
    public Naming naming() {
        return found.naming();
    }

    /** One tensor, by its index in {@link dev.ebb.Tensorwise#list}. */
    public Array read(int place) throws FileFormatException {
        return Weights.load(tensors, found.blank(), found.naming(), place);
    }

    /** The whole model. */
    public AutoregressiveModel load() throws FileFormatException {
        return Weights.load(tensors, found.blank(), found.naming());
    }

    @Override
    public void close() {
        tensors.close();
    }
}
