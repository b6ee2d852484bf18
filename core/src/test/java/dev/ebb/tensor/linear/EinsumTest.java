package dev.ebb.tensor.linear;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Differences;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Table;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

class EinsumTest {
    private final Array x = Differences.normal(1, 3, 3, 2);
    private final Array y = Differences.normal(2, 2, 4);

    private static void same(Tensor found, Tensor expected) {
        assertThat(found.shape()).isEqualTo(expected.shape());
        assertThat(found.toDoubles()).containsExactly(expected.toDoubles(), within(1e-13));
    }

    @Test
    void equationsAreWhatTheyMean() {
        same(x.einsum("abc->c"), x.sum(0).sum(0));
        same(x.einsum("abc->cba"), x.permute(2, 1, 0));
        same(x.einsum("aac->ca"), x.permute(2, 0, 1).diagonal());
        same(x.einsum("abc , cd -> dab", y), x.matmul(y).permute(2, 0, 1));
        same(x.einsum("abc,cd->d", y), x.matmul(y).sum(0).sum(0));
        same(x.einsum("cab,bd", y), x.permute(1, 0, 2).matmul(y));
        same(x.einsum("abc,abc->", x), x.square().sum());
        same(y.einsum("cd,cd->c", y), y.square().sum(1));
        same(y.einsum("ab,cd->abcd", y), y.reshape(8, 1).mul(y.reshape(1, 8)).reshape(2, 4, 2, 4));
        same(
                Differences.normal(3, 2, 2, 2).einsum("aaa->a"),
                Differences.normal(3, 2, 2, 2).reshape(8).slice(0, 0, 8, 7));
    }

    /** One sum over all letters, one product at a time. */
    private static Array slow(String equation, List<Array> operands) {
        var sides = List.of(equation.split("->", -1));
        var terms = List.of(sides.get(0).split(",", -1));
        // sizes and indices by letter, from 'a' on; letters that are not used have size one
        var sizes = new int[26];
        Arrays.fill(sizes, 1);
        for (int i = 0; i < terms.size(); i++) {
            for (int d = 0; d < terms.get(i).length(); d++) {
                sizes[terms.get(i).charAt(d) - 'a'] = operands.get(i).dim(d);
            }
        }
        var dims = sides.get(1).chars().mapToObj(c -> sizes[c - 'a']).toList();
        var data = operands.stream().map(Array::toDoubles).toList();
        var out = new double[(int) new Shape(dims).size()];
        var at = new int[26];
        int count = Arrays.stream(sizes).reduce(1, (a, b) -> a * b);
        for (int n = 0; n < count; n++) {
            int left = n;
            for (int c = 0; c < 26; c++) {
                at[c] = left % sizes[c];
                left /= sizes[c];
            }
            double product = 1;
            for (int i = 0; i < terms.size(); i++) {
                product *= data.get(i)[place(terms.get(i), sizes, at)];
            }
            out[place(sides.get(1), sizes, at)] += product;
        }
        return Array.of(new Shape(dims), out);
    }

    private static int place(String term, int[] sizes, int[] at) {
        int place = 0;
        for (int i = 0; i < term.length(); i++) {
            int c = term.charAt(i) - 'a';
            place = place * sizes[c] + at[c];
        }
        return place;
    }

    /** Random equations of up to five operands, diagonals and sums among them. */
    @Test
    void any_number_of_operands_is_what_a_plain_loop_gives() {
        var random = new Random(5);
        for (int round = 0; round < 200; round++) {
            int count = 1 + random.nextInt(5);
            var sizes = new int[] {2, 3, 1, 4, 2, 3};
            var terms = new ArrayList<String>();
            var operands = new ArrayList<Array>();
            for (int i = 0; i < count; i++) {
                var term = new StringBuilder();
                var dims = new ArrayList<Integer>();
                for (int d = random.nextInt(4); d > 0; d--) {
                    int letter = random.nextInt(sizes.length);
                    term.append((char) ('a' + letter));
                    dims.add(sizes[letter]);
                }
                terms.add(term.toString());
                operands.add(
                        Differences.normal(
                                round * 7 + i, dims.stream().mapToInt(n -> n).toArray()));
            }
            var out = new StringBuilder();
            for (char c = 'f'; c >= 'a'; c--) {
                if (String.join("", terms).indexOf(c) >= 0 && random.nextBoolean()) out.append(c);
            }
            var equation = String.join(",", terms) + "->" + out;
            var rest = operands.subList(1, count).toArray(new Tensor[0]);
            same(operands.getFirst().einsum(equation, rest), slow(equation, operands));
        }
    }

    @Test
    void three_dots_broadcast() {
        var a = Differences.normal(4, 5, 1, 2, 3);
        var b = Differences.normal(5, 4, 3, 2);
        same(a.einsum("...ij,...jk->...ik", b), a.matmul(b));
        same(a.einsum("...ij,...jk", b), a.matmul(b));
        same(a.einsum("...ij->...ji"), a.permute(0, 1, 3, 2));
        same(a.einsum("b...i->i...b"), a.permute(3, 1, 2, 0));
    }

    @Test
    void the_order_takes_the_fewest_multiplications() {
        // (x y) z takes 2 * 100 * 100 + 2 * 100 * 100; x (y z) takes 100^3 more
        var sizes = new Table<Character, Integer>();
        sizes.put('a', 2);
        for (char c = 'b'; c <= 'd'; c++) sizes.put(c, 100);
        assertThat(ContractionOrder.of(List.of("ab", "bc", "cd"), "ad", sizes))
                .containsExactly(new ContractionOrder.Pair(0, 1), new ContractionOrder.Pair(0, 1));
        assertThat(ContractionOrder.of(List.of("bc", "cd", "ab"), "ad", sizes).getFirst())
                .isEqualTo(new ContractionOrder.Pair(0, 2));
        // a dozen operands and one: pair by pair
        var small = y.tanh();
        var many = Collections.nCopies(12, small).toArray(new Tensor[0]);
        same(small.einsum("ab" + ",ab".repeat(12) + "->ab", many), small.pow(13));
    }

    @Test
    void vectors() {
        var a = Array.of(1.0, 2.0);
        var b = Array.of(3.0, 5.0);
        assertThat(a.dot(b).item()).isEqualTo(13);
        assertThat(a.outer(b).toDoubles()).containsExactly(3, 5, 6, 10);
        assertThat(a.diag().diagonal(1).toDoubles()).containsExactly(0);
        assertThat(x.diagonal(-2).shape()).isEqualTo(Shape.of(3, 1));
        assertThat(x.diagonal(9).shape()).isEqualTo(Shape.of(3, 0));
    }

    @Test
    void derivativesOfDiagonals() {
        Differences.check(in -> in.getFirst().square().einsum("aab->ba"), x);
        Differences.check(in -> in.getFirst().square().diagonal(-1), x);
        Differences.check(in -> in.getFirst().square().diag(), y);
    }

    @Test
    void equationsThatDoNotFitAreTold() {
        assertThatThrownBy(() -> x.einsum("ab,bc->ac", y))
                .hasMessageContaining("'ab' names 2 axes")
                .hasMessageContaining("has 3");
        assertThatThrownBy(() -> x.einsum("abc->ad")).hasMessageContaining("'d' is in no operand");
        assertThatThrownBy(() -> x.einsum("abc->aa")).hasMessageContaining("'a' twice");
        assertThatThrownBy(() -> x.einsum("abc,bd->acd", y))
                .hasMessageContaining("'b' has 3 elements in one place and 2");
        assertThatThrownBy(() -> x.einsum("...c->c")).hasMessageContaining("the result has not");
        assertThatThrownBy(() -> x.einsum("abc,cd->abd")).hasMessageContaining("2 operands");
        assertThatThrownBy(() -> x.einsum("a.c->c")).hasMessageContaining("'.' is no letter");
        assertThatThrownBy(() -> x.einsum("...abcd->...a")).hasMessageContaining("more axes");
    }
}
