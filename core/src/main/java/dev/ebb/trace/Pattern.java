package dev.ebb.trace;

import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The structure of one tree (in JAX, a treedef), in a form that makes flattening and unflattening
 * fast: whether another tree has the same structure is checked while its tensors are gathered,
 * without computing its {@link Tree#signature}.
 */
public final class Pattern<T> {
    private final T like;
    private final Part root;
    private final int leaves;

    private Pattern(T like, Part root, int leaves) {
        this.like = like;
        this.root = root;
        this.leaves = leaves;
    }

    /** The pattern of {@code tree}. */
    public static <T> Pattern<T> of(T tree) {
        var types = new ArrayList<Type>();
        var root = part(tree, types);
        return new Pattern<>(tree, root, types.size());
    }

    /** The number of tensors. */
    public int leaves() {
        return leaves;
    }

    /**
     * Gathers the tensors of {@code tree} in the order of {@link Tree#flatten}, if they are all
     * arrays and the tree has this pattern: the same signature. If it returns false, the contents
     * of the array are undefined.
     */
    public boolean gather(Object tree, Array[] into) {
        return root.gather(tree, into);
    }

    /** A tree of this pattern with these tensors. */
    @SuppressWarnings("unchecked")
    public T with(List<? extends Tensor> tensors) {
        if (tensors.size() != leaves)
            throw new IllegalArgumentException(
                    "%s tensors for the %s places of %s"
                            .formatted(tensors.size(), leaves, like.getClass()));
        return (T) root.with(tensors);
    }

    private sealed interface Part {
        boolean gather(Object tree, Array[] into);

        Object with(List<? extends Tensor> tensors);
    }

    private static Part part(Object tree, List<Type> types) {
        int before = types.size();
        Part made =
                switch (TreeNode.of(tree)) {
                    case TreeNode.Leaf(var tensor) -> {
                        types.add(tensor.type());
                        yield new Leaf(before, tensor.type());
                    }
                    case TreeNode.Fixed(var content) -> new Fixed(tree, content);
                    case TreeNode.Inner inner -> {
                        var type = tree.getClass();
                        if (inner.kind() == type && !type.isArray() && type != Optional.class) {
                            var parts = inner.parts().stream().map(p -> part(p, types)).toList();
                            yield new Inner(ComponentClass.of(type), parts.toArray(Part[]::new));
                        }
                        var tensors = Tree.flatten(tree);
                        tensors.forEach(t -> types.add(t.type()));
                        yield new Other(tree, before, tensors.size());
                    }
                };
        return types.size() == before && made instanceof Inner ? new Other(tree, before, 0) : made;
    }

    private record Leaf(int at, Type type) implements Part {
        @Override
        public boolean gather(Object tree, Array[] into) {
            if (!(tree instanceof Array array) || !array.type().equals(type)) return false;
            into[at] = array;
            return true;
        }

        @Override
        public Object with(List<? extends Tensor> tensors) {
            return tensors.get(at);
        }
    }

    private record Fixed(Object value, Object content) implements Part {
        @Override
        public boolean gather(Object tree, Array[] into) {
            return tree != null
                    && (tree.equals(value) && !tree.getClass().isArray()
                            || Structure.content(tree).filter(content::equals).isPresent());
        }

        @Override
        public Object with(List<? extends Tensor> tensors) {
            return value;
        }
    }

    /** A record, or another class that consists of components. */
    private record Inner(ComponentClass form, Part[] parts) implements Part {
        @Override
        public boolean gather(Object tree, Array[] into) {
            if (tree == null || tree.getClass() != form.type()) return false;
            var found = form.parts(tree);
            for (int i = 0; i < parts.length; i++)
                if (!parts[i].gather(found[i], into)) return false;
            return true;
        }

        @Override
        public Object with(List<? extends Tensor> tensors) {
            var made = new Object[parts.length];
            for (int i = 0; i < made.length; i++) made[i] = parts[i].with(tensors);
            return form.construct(made);
        }
    }

    /** A list, a map or another kind of tree, by its signature. */
    private record Other(Object like, Object signature, int at, int count) implements Part {
        Other(Object like, int at, int count) {
            this(like, Tree.signature(like), at, count);
        }

        @Override
        public boolean gather(Object tree, Array[] into) {
            if (tree == null || !signature.equals(Tree.signature(tree))) return false;
            var found = Tree.flatten(tree);
            for (int i = 0; i < count; i++) {
                if (!(found.get(i) instanceof Array array)) return false;
                into[at + i] = array;
            }
            return true;
        }

        @Override
        public Object with(List<? extends Tensor> tensors) {
            return Tree.unflatten(like, tensors.subList(at, at + count));
        }
    }
}
