package dev.ebb.nn.model;

import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.TensorSource;
import dev.ebb.tensor.Array;

import java.nio.file.Path;

/**
 * A published model in its file, checked: every tensor is there in its shape, and every key is
 * used. Tensors are read when they are asked for, so a model can go into a program's memory without
 * a copy of it beside.
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

    /** How the model is built, with zeros for matrices. */
    public AutoregressiveModel blank() {
        return found.blank();
    }

    /** Where each of its tensors lies in the file. */
    public Naming naming() {
        return found.naming();
    }

    /** One tensor, by its place in {@link dev.ebb.Tensorwise#list}. */
    public Array read(int place) throws FileFormatException {
        return Weights.load(tensors, found.blank(), found.naming(), place);
    }

    /** All of it. */
    public AutoregressiveModel load() throws FileFormatException {
        return Weights.load(tensors, found.blank(), found.naming());
    }

    @Override
    public void close() {
        tensors.close();
    }
}
