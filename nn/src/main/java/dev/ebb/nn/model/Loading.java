package dev.ebb.nn.model;

import dev.ebb.ir.Type;
import dev.ebb.nn.Activation;
import dev.ebb.nn.file.ConfigKeys;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;
import dev.ebb.nn.file.LazyTensor;
import dev.ebb.nn.file.TensorSource;
import dev.ebb.tensor.Array;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Reads the tensors and the config of a published model.
 *
 * @param prefix the prefix of the names of all its tensors
 */
record Loading(TensorSource file, String prefix, ConfigKeys config) {
    /** Tensors of a training checkpoint besides the model's. */
    private static final Pattern OF_TRAINING = Pattern.compile("optimizer\\..*|losses");

    /** Keys about files, tokens, training or output, which do not change the computation. */
    private static final Set<String> HARMLESS =
            Set.of(
                    "_attn_implementation_autoset",
                    "_name_or_path",
                    "attention_dropout",
                    "attention_probs_dropout_prob",
                    "classifier_dropout",
                    "attn_pdrop",
                    "bad_words_ids",
                    "begin_suppress_tokens",
                    "bos_token_id",
                    "chunk_size_feed_forward",
                    "do_sample",
                    "dtype",
                    "embd_pdrop",
                    "eos_token_id",
                    "finetuning_task",
                    "gradient_checkpointing",
                    "hidden_dropout",
                    "hidden_dropout_prob",
                    "id2label",
                    "initializer_range",
                    "label2id",
                    "max_length",
                    "min_length",
                    "output_attentions",
                    "output_hidden_states",
                    "pad_token_id",
                    "prefix",
                    "pretraining_tp",
                    "problem_type",
                    "reorder_and_upcast_attn",
                    "resid_pdrop",
                    "return_dict",
                    "sep_token_id",
                    "summary_activation",
                    "summary_first_dropout",
                    "summary_proj_to_labels",
                    "summary_type",
                    "summary_use_proj",
                    "task_specific_params",
                    "tokenizer_class",
                    "torch_dtype",
                    "torchscript",
                    "transformers_version",
                    "use_cache",
                    "use_return_dict");

    /** The activations by their names in config.json. */
    private static final Map<String, Activation> ACTIVATIONS =
            Map.of(
                    "silu", Activation.SILU,
                    "swish", Activation.SILU,
                    "gelu", Activation.GELU,
                    "gelu_new", Activation.GELU_TANH,
                    "gelu_pytorch_tanh", Activation.GELU_TANH,
                    "relu", Activation.RELU,
                    "tanh", Activation.TANH);

    Activation activation(String key, Activation otherwise) throws FileFormatException {
        var value = config.text(key);
        if (value.isEmpty()) return otherwise;
        var known = ACTIVATIONS.get(value.get());
        if (known != null) return known;
        throw config.unknown(
                key,
                "known are " + String.join(", ", ACTIVATIONS.keySet().stream().sorted().toList()));
    }

    /** The name of an activation in config.json. */
    static String name(Activation activation) {
        return switch (activation) {
            case SILU -> "silu";
            case GELU -> "gelu";
            case GELU_TANH -> "gelu_pytorch_tanh";
            case RELU -> "relu";
            case TANH -> "tanh";
        };
    }

    /**
     * Throws unless the config is of one of these kinds.
     *
     * @param kinds from values of model_type to the beginnings of architecture names
     * @return the kind found; empty if the config does not name one
     */
    String requireKind(Map<String, String> kinds) throws FileFormatException {
        var kind = config.text("model_type");
        if (kind.isPresent() && !kinds.containsKey(kind.get()))
            throw config.unknown(
                    "model_type", "its tensors have the names of " + kinds.keySet() + " alone");
        var built = config.value("architectures").map(Json::elements).orElse(List.of());
        var type = kind.orElse("");
        for (var architecture : built) {
            var name = architecture.text().orElse("");
            var of =
                    kinds.entrySet().stream()
                            .filter(k -> name.matches(k.getValue() + "(For|LMHead|Double|Model).*"))
                            .map(Map.Entry::getKey)
                            .findFirst();
            if (of.isEmpty() || !(type.isEmpty() || type.equals(of.get())))
                throw config.unknown(
                        "architectures",
                        "its tensors have the names of "
                                + (type.isEmpty() ? kinds.keySet() : type + ", its model_type"));
            type = of.get();
        }
        return type;
    }

    /**
     * A model whose tensors are in the file.
     *
     * @param blank its structure; its matrices are zeros
     */
    record Found<M>(M blank, Naming naming) {}

    /** Throws unless the file has exactly the tensors of {@code blank} and every key is used. */
    <M> Found<M> found(M blank, Naming naming, Pattern unread) throws FileFormatException {
        config.refuseOthers(HARMLESS);
        var used = new HashSet<String>();
        for (LazyTensor s : Weights.supplies(blank, naming, _ -> Array.scalar(0f)))
            used.add(s.name());
        for (var name : file.names()) {
            if (!name.startsWith(prefix) || used.contains(name)) continue;
            var own = name.substring(prefix.length());
            if (unread.matcher(own).matches() || OF_TRAINING.matcher(own).matches()) continue;
            throw new FileFormatException(
                    file.file(),
                    "the tensor "
                            + name
                            + " has no place in this model, so what the file computes is not what"
                            + " Ebb would compute; was it made for another kind of model?");
        }
        Weights.require(file, blank, naming);
        return new Found<>(blank, naming);
    }

    /** Throws if {@code copy} exists and does not have the bits of {@code tensor}. */
    void requireSame(String copy, String tensor) throws FileFormatException {
        if (!file.has(copy) || file.read(copy).sameBits(file.read(tensor))) return;
        throw new FileFormatException(
                file.file(),
                ("the tensor %s should be %s again, as the two are tied, but its numbers are"
                                + " others")
                        .formatted(copy, tensor));
    }

    Type matrix(String name) throws FileFormatException {
        return tensor(name, 2);
    }

    /** The type of a tensor, which must have {@code rank} axes. */
    Type tensor(String name, int rank) throws FileFormatException {
        var type = file.type(name);
        if (type.isPresent() && type.get().shape().rank() == rank) return type.get();
        throw new FileFormatException(
                file.file(),
                "the tensor "
                        + name
                        + type.map(t -> " is " + t).orElse(" is missing")
                        + ", but "
                        + (rank == 2 ? "a matrix" : "one of " + rank + " axes")
                        + " is expected");
    }

    /** The number of layers, counted by a tensor that each has. */
    int layers(String pattern) throws FileFormatException {
        int n = 0;
        while (file.has(pattern.formatted(n))) n++;
        if (n > 0) return n;
        throw new FileFormatException(
                file.file(), "the tensor " + pattern.formatted(0) + " is missing");
    }
}
