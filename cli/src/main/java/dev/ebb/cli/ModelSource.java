package dev.ebb.cli;

import dev.ebb.cli.option.JsonRecord;
import dev.ebb.cli.option.Refusal;
import dev.ebb.nn.Seed;
import dev.ebb.nn.data.Corpus;
import dev.ebb.nn.file.Safetensors;
import dev.ebb.nn.model.AutoregressiveModel;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.nn.model.Llama;
import dev.ebb.nn.model.ModelSize;
import dev.ebb.nn.model.Pretrained;
import dev.ebb.nn.model.Weights;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Optional;

/** The model to plan for, and the batch and context of a step. */
sealed interface ModelSource {
    ModelSize size();

    /** The model with shapes but without data. */
    AutoregressiveModel blank();

    AutoregressiveModel whole();

    /** The same model with batch and context of {@code other}. */
    ModelSource in(ModelSize other);

    /** A GPT of these sizes. */
    record OfSize(ModelSize size) implements ModelSource {

        /** One block is built, and repeated for all layers; all blocks share memory. */
        @Override
        public AutoregressiveModel blank() {
            var one = Gpt2.of(config(1), new Seed(1));
            return Weights.blank(
                    new Gpt2(
                            one.tokens(),
                            one.positions(),
                            Collections.nCopies(size.layers(), one.blocks().getFirst()),
                            one.norm(),
                            config(size.layers())));
        }

        @Override
        public AutoregressiveModel whole() {
            return Gpt2.of(config(size.layers()), new Seed(1));
        }

        private Gpt2.Config config(int layers) {
            return Gpt2.Config.of(
                    Corpus.VOCABULARY, size.context(), size.width(), layers, size.heads());
        }

        @Override
        public ModelSource in(ModelSize other) {
            return new OfSize(other);
        }
    }

    /** The model of a checkpoint or of a published file. */
    record OfFile(AutoregressiveModel whole, ModelSize size) implements ModelSource {
        @Override
        public AutoregressiveModel blank() {
            return Weights.blank(whole);
        }

        @Override
        public ModelSource in(ModelSize other) {
            return new OfFile(whole, sized(whole, other.batch(), other.context()));
        }
    }

    /**
     * The model in {@code file}. Batch and context are the given ones; otherwise those of the
     * checkpoint's run; otherwise those of {@code usual}, limited to the model's context.
     */
    static ModelSource read(
            Path file, ModelSize usual, @Nullable Integer batch, @Nullable Integer context)
            throws IOException {
        var model = TrainCommand.load(file, "");
        var run = settings(Pretrained.file(file));
        int length =
                context != null
                        ? context
                        : run.map(TrainingSettings::context)
                                .orElse(Math.min(usual.context(), model.context()));
        if (length > model.context()) {
            throw new Refusal(
                    "a context of %s is more than the %s that the model in --from supports"
                            .formatted(length, model.context()));
        }
        int passages =
                batch != null ? batch : run.map(TrainingSettings::batch).orElse(usual.batch());
        return new OfFile(model, sized(model, passages, length));
    }

    /** The settings with which a checkpoint's run was started; empty for any other file. */
    private static Optional<TrainingSettings> settings(Path file) throws IOException {
        try (var tensors = Safetensors.open(file)) {
            var note = tensors.metadata().get("settings");
            return note == null
                    ? Optional.empty()
                    : Optional.of(JsonRecord.read(TrainingSettings.class, file, note));
        }
    }

    private static ModelSize sized(AutoregressiveModel model, int batch, int context) {
        return switch (model) {
            case Gpt2(_, _, _, _, var c) ->
                    new ModelSize(c.layers(), c.width(), c.heads(), context, batch);
            case Llama(_, _, _, _, var c) ->
                    new ModelSize(c.layers(), c.width(), c.heads(), context, batch);
            default ->
                    throw new Refusal(
                            "a model of type "
                                    + model.getClass().getSimpleName()
                                    + " cannot be planned here; name a GPT-2 or a Llama");
        };
    }
}
