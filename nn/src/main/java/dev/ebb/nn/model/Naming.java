package dev.ebb.nn.model;

import java.util.List;

/** The name of each tensor of a model in a file. */
@FunctionalInterface
public interface Naming {

    /**
     * A tensor's name in the file.
     *
     * @param turned whether the file has the transposed tensor
     */
    record Place(String name, boolean turned) {}

    Place place(String path);

    /** The paths of the record itself. */
    static Naming own() {
        return path -> new Place(path, false);
    }

    /** The same names after {@code prefix}. */
    default Naming behind(String prefix) {
        return path -> {
            var place = place(path);
            return new Place(prefix + place.name, place.turned);
        };
    }

    /** The published names of GPT-2, whose matrices are stored as [inputs, outputs]. */
    static Naming gpt2() {
        return path -> new Place(PathMapping.of(path, GPT2), false);
    }

    /** The published names of Llama, whose matrices are stored as [outputs, inputs]. */
    static Naming llama() {
        return path -> {
            boolean dense =
                    path.startsWith("head.")
                            || path.contains(".attention.")
                            || path.contains(".feedForward.");
            boolean matrix = path.endsWith(".weight") && !path.endsWith("Norm.weight");
            return new Place(PathMapping.of(path, LLAMA), dense && matrix);
        };
    }

    /** Pairs of path parts: the first is replaced by the second where it is a whole part. */
    List<List<String>> GPT2 =
            List.of(
                    List.of("tokens.", "wte."),
                    List.of("positions.", "wpe."),
                    List.of("blocks.", "h."),
                    List.of(".norm1.", ".ln_1."),
                    List.of(".norm2.", ".ln_2."),
                    List.of(".attention.in.all.", ".attn.c_attn."),
                    List.of(".attention.out.", ".attn.c_proj."),
                    List.of(".feedForward.up.", ".mlp.c_fc."),
                    List.of(".feedForward.down.", ".mlp.c_proj."),
                    List.of("norm.", "ln_f."));

    List<List<String>> LLAMA =
            List.of(
                    List.of("tokens.", "model.embed_tokens."),
                    List.of("blocks.", "model.layers."),
                    List.of(".norm1.", ".input_layernorm."),
                    List.of(".norm2.", ".post_attention_layernorm."),
                    List.of(".attention.in.separate.", ".attention.in."),
                    List.of(".attention.in.queryNorm.", ".self_attn.q_norm."),
                    List.of(".attention.in.keyNorm.", ".self_attn.k_norm."),
                    List.of(".attention.in.query.", ".self_attn.q_proj."),
                    List.of(".attention.in.key.", ".self_attn.k_proj."),
                    List.of(".attention.in.value.", ".self_attn.v_proj."),
                    List.of(".attention.out.", ".self_attn.o_proj."),
                    List.of(".feedForward.gate.", ".mlp.gate_proj."),
                    List.of(".feedForward.up.", ".mlp.up_proj."),
                    List.of(".feedForward.down.", ".mlp.down_proj."),
                    List.of("norm.", "model.norm."),
                    List.of("head.", "lm_head."));
}
