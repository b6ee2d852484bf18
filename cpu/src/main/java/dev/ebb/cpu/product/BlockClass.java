package dev.ebb.cpu.product;

import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;

import dev.ebb.cpu.code.ClassData;
import dev.ebb.cpu.code.GeneratedClass;

import jdk.incubator.vector.VectorSpecies;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.util.List;

/**
 * Generates the class of {@link Blocks}. Blocks that store and blocks that add are separate
 * methods: with a branch, the JIT would compile a method before the branch was seen to go both
 * ways, and then compile it again.
 */
final class BlockClass {
    static final ClassDesc SELF = ClassDesc.of("dev.ebb.cpu.product.GeneratedBlocks");
    private static final MethodTypeDesc CALL =
            MethodTypeDesc.of(
                    CD_void,
                    CD_int,
                    CD_int,
                    CD_Object,
                    CD_int,
                    CD_int,
                    CD_Object,
                    CD_int,
                    CD_Object,
                    CD_int,
                    CD_int,
                    CD_boolean);

    private final VectorSpecies<?> species;
    private final int[] heights;
    private final MethodTypeDesc block;
    private final ClassData data = new ClassData();

    BlockClass(VectorSpecies<?> species, int... heights) {
        this.species = species;
        this.heights = heights;
        block = BlockCode.type(species);
    }

    /**
     * Blocks of these heights, for arrays of the elements of {@code species}, which is the
     * preferred one.
     */
    @SuppressWarnings("unchecked") // the caller's type parameter is the array of these elements
    static <A> Blocks<A> generate(VectorSpecies<?> species, int... heights) {
        var made = new BlockClass(species, heights);
        return GeneratedClass.instance(
                MethodHandles.lookup(), SELF, Blocks.class, made.data, made::write);
    }

    /** Adds the methods of the class. */
    void write(ClassBuilder c) {
        for (var name : List.of("rows", "columns")) {
            boolean along = name.equals("rows");
            for (int height : heights) {
                block(c, "store" + height + name, height, along, false);
                block(c, "add" + height + name, height, along, true);
            }
            GeneratedClass.method(c, name, CALL, code -> choose(code, name));
        }
    }

    private void block(ClassBuilder c, String name, int height, boolean along, boolean adds) {
        GeneratedClass.ownMethod(
                c,
                name,
                block,
                code -> new BlockCode(species, height, data, code).write(along, adds));
    }

    /** Calls the method for a block of this height; the last one is used for all other heights. */
    private void choose(CodeBuilder code, String name) {
        for (int i = 0; i < heights.length - 1; i++) {
            int height = heights[i];
            code.iload(1).loadConstant(height);
            code.ifThen(Opcode.IF_ICMPEQ, yes -> call(yes, height + name));
        }
        call(code, heights[heights.length - 1] + name);
    }

    private void call(CodeBuilder code, String name) {
        for (int i = 0; i < block.parameterCount(); i++) {
            var type = block.parameterType(i);
            code.loadLocal(TypeKind.from(type), i + 2);
            if (type.isArray()) code.checkcast(type);
        }
        code.iload(CALL.parameterCount());
        code.ifThenElse(
                adds -> adds.invokestatic(SELF, "add" + name, block),
                stores -> stores.invokestatic(SELF, "store" + name, block));
        code.return_();
    }
}
