package dev.ebb.cpu;

import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Finds the calls into the Vector API whose bits may differ from run to run.
 *
 * <p>The transcendental operators run one algorithm in the interpreter and another once the JIT
 * replaces them with a native library. A lane reduction by sum or product adds in an order that
 * depends on the width of the machine's vectors. Either would make the same program give other bits
 * on another run.
 */
final class BannedCalls {
    private static final String VECTORS = "jdk/incubator/vector/";
    private static final String OPERATORS = VECTORS + "VectorOperators";
    private static final String ASSOCIATIVE = "L" + OPERATORS + "$Associative;";

    private static final Set<String> TRANSCENDENTAL =
            Set.of(
                    "ACOS", "ASIN", "ATAN", "ATAN2", "CBRT", "COS", "COSH", "EXP", "EXPM1", "HYPOT",
                    "LOG", "LOG10", "LOG1P", "POW", "SIN", "SINH", "TAN", "TANH");

    private static final String BITS_CHANGE =
            "its bits change when the JIT replaces it by a native library; use our own function";
    private static final String ORDER_CHANGES =
            "the order of its additions depends on the width of the vectors; fold in a fixed tree";
    private static final String ORDER_UNKNOWN =
            "the operator must be named at the call, for this check to see it is no sum or product";

    private BannedCalls() {}

    /** The banned calls of a class, each with its location and the reason. */
    static List<String> in(ClassModel model) {
        var found = new ArrayList<String>();
        for (MethodModel method : model.methods()) {
            var place =
                    model.thisClass().asInternalName().replace('/', '.')
                            + "."
                            + method.methodName().stringValue();
            scan(method).forEach(call -> found.add(place + ": " + call));
        }
        return List.copyOf(found);
    }

    private static List<String> scan(MethodModel method) {
        var found = new ArrayList<String>();
        var associative = Optional.<String>empty();
        for (var element : method.code().stream().flatMap(c -> c.elementStream()).toList()) {
            switch (element) {
                case FieldInstruction field
                        when field.owner().asInternalName().equals(OPERATORS) -> {
                    var name = field.name().stringValue();
                    if (TRANSCENDENTAL.contains(name)) {
                        found.add("VectorOperators." + name + ": " + BITS_CHANGE);
                    }
                    if (field.type().equalsString(ASSOCIATIVE)) associative = Optional.of(name);
                }
                case InvokeInstruction call
                        when call.owner().asInternalName().startsWith(VECTORS) -> {
                    var name = call.name().stringValue();
                    if (name.equals("pow")) found.add("pow: " + BITS_CHANGE);
                    if (name.startsWith("reduceLanes")) {
                        var operator = associative.orElse("?");
                        reason(operator)
                                .ifPresent(why -> found.add(name + "(" + operator + "): " + why));
                        associative = Optional.empty();
                    }
                }
                default -> {}
            }
        }
        return found;
    }

    private static Optional<String> reason(String operator) {
        return switch (operator) {
            case "ADD", "MUL" -> Optional.of(ORDER_CHANGES);
            case "?" -> Optional.of(ORDER_UNKNOWN);
            default -> Optional.empty();
        };
    }
}
