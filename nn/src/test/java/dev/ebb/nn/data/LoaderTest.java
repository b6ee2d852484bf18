package dev.ebb.nn.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.ir.Shape;
import dev.ebb.nn.Seed;
import dev.ebb.tensor.Array;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import javax.imageio.ImageIO;

class LoaderTest {
    @TempDir Path folder;

    /** Row i is {i, i + 0.5} with target 10 i. */
    private static Dataset counted(int rows) {
        var x = new float[2 * rows];
        var y = new long[rows];
        for (int i = 0; i < rows; i++) {
            x[2 * i] = i;
            x[2 * i + 1] = i + 0.5f;
            y[i] = 10L * i;
        }
        return Dataset.of(Array.of(Shape.of(rows, 2), x), Array.of(y));
    }

    private static List<Integer> read(Loader.Reader reader) {
        var rows = new ArrayList<Integer>();
        try (reader) {
            while (reader.hasNext()) {
                var next = reader.next();
                var x = next.batch().x().toFloats();
                var y = next.batch().y().toDoubles();
                for (int i = 0; i < next.rows(); i++) {
                    assertThat(x[2 * i + 1]).isEqualTo(x[2 * i] + 0.5f);
                    assertThat(y[i]).isEqualTo(10 * x[2 * i]);
                    rows.add((int) x[2 * i]);
                }
                assertThat(x).hasSize(2 * y.length);
            }
        }
        return rows;
    }

    @Test
    void anEpochGoesOnFromAnyBatch() {
        var loader = Loader.shuffled(counted(50), 8, new Seed(3));
        var whole = read(loader.full(2, 0));
        assertThat(whole).hasSize(48).doesNotHaveDuplicates();
        for (int row = 0; row <= 48; row += 8)
            assertThat(read(loader.full(2, row))).isEqualTo(whole.subList(row, 48));
        assertThat(read(loader.full(3, 0))).isNotEqualTo(whole);
        assertThat(read(new Loader(counted(50), 8, loader.seed(), 0).full(2, 0))).isEqualTo(whole);
        assertThatThrownBy(() -> loader.full(0, 3)).hasMessageContaining("row 3 is not the first");
    }

    @Test
    void anEvaluationSeesEveryRowOnce() {
        var rows = read(Loader.inOrder(counted(21), 8).all());
        assertThat(rows).hasSize(21).isSorted().doesNotHaveDuplicates();
        assertThatThrownBy(() -> Loader.inOrder(counted(4), 5)).hasMessageContaining("at most all");
    }

    @Test
    void whatAReaderThrowsArrives() {
        var broken =
                new Dataset() {
                    @Override
                    public int rows() {
                        return 10;
                    }

                    @Override
                    public Batch read(int[] rows) {
                        throw new IllegalStateException("row " + rows[0] + " is broken");
                    }
                };
        try (var reader = Loader.inOrder(broken, 2).all()) {
            assertThatThrownBy(reader::next).hasMessage("row 0 is broken");
        }
    }

    @Test
    void aSplitDividesTheRows() {
        var split = counted(20).split(0.25, new Seed(1));
        var held = read(Loader.inOrder(split.validation(), 5).all());
        var rest = read(Loader.inOrder(split.train(), 5).all());
        assertThat(held).hasSize(5).doesNotContainAnyElementsOf(rest);
        assertThat(rest).hasSize(15);
        assertThatThrownBy(() -> counted(2).split(0.1, new Seed(1)))
                .hasMessageContaining("leaves one part empty");
    }

    @Test
    void windowsOfText() {
        var text = TextWindows.ofBytes("abcdefgh", 3);
        assertThat(text.rows()).isEqualTo(2);
        var batch = text.read(new int[] {1, 0});
        assertThat(batch.x().toInts()).containsExactly('d', 'e', 'f', 'a', 'b', 'c');
        assertThat(batch.y().toInts()).containsExactly('e', 'f', 'g', 'b', 'c', 'd');
        assertThatThrownBy(() -> TextWindows.ofBytes("ab", 2)).hasMessageContaining("of 2 tokens");
    }

    @Test
    void tablesAreRead() throws IOException {
        var file = folder.resolve("a.csv");
        Files.writeString(
                file,
                "\uFEFFlength,kind,\"note, quoted\"\r\n"
                        + "1.5,cat,x\n"
                        + "-2e1,\"a \"\"dog\"\"\",\"two\n"
                        + "lines\"\n\n"
                        + " 3 ,cat,\"\"");
        var table = Csv.read(file);
        assertThat(table.names()).containsExactly("length", "kind", "note, quoted");
        assertThat(table.numbers("length").toFloats()).containsExactly(1.5f, -20, 3);
        assertThat(table.classes("kind").names()).containsExactly("a \"dog\"", "cat");
        assertThat(table.classes("kind").numbers().toInts()).containsExactly(1, 0, 1);
        assertThat(table.column("note, quoted")).containsExactly("x", "two\nlines", "");
        assertThatThrownBy(() -> table.numbers("kind"))
                .hasMessageContaining("line 2, column kind: \"cat\" is no number");
        assertThatThrownBy(() -> table.column("size")).hasMessageContaining("no column size");
        for (var wrong : List.of("a,b\n1\n", "a\n\"x", "a\n\"x\"y\n", "")) {
            Files.writeString(file, wrong);
            assertThatThrownBy(() -> Csv.read(file))
                    .as(wrong)
                    .hasMessageContaining(wrong.isEmpty() ? "empty" : "line 2");
        }
    }

    @Test
    void aSecondTableKeepsTheNumbersOfTheFirst() throws IOException {
        var file = folder.resolve("t.csv");
        Files.writeString(file, "kind\napple\npear\nplum\n");
        var first = Csv.read(file).classes("kind");
        Files.writeString(file, "kind\nplum\npear\n");
        var second = Csv.read(file);
        assertThat(second.classes("kind", first.names()).numbers().toInts()).containsExactly(2, 1);
        assertThatThrownBy(() -> second.classes("kind", List.of("apple", "plum")))
                .hasMessageContaining("line 3, column kind: \"pear\" is none of the classes");
        Files.writeString(file, "a,b,a\n1,2,3\n");
        var twice = Csv.read(file);
        assertThat(twice.numbers("b").toFloats()).containsExactly(2);
        assertThatThrownBy(() -> twice.numbers("a")).hasMessageContaining("two columns a");
    }

    @Test
    void picturesAreRead() throws IOException {
        for (var kind : List.of("cat", "dog")) {
            Files.createDirectories(folder.resolve("p").resolve(kind));
            var picture = new BufferedImage(4, 2, BufferedImage.TYPE_INT_RGB);
            for (int i = 0; i < 8; i++)
                picture.setRGB(i % 4, i / 4, kind.equals("dog") ? 0x336699 : i * 0x10000);
            ImageIO.write(
                    picture, "png", folder.resolve("p").resolve(kind).resolve("1.png").toFile());
        }
        var same = ImageFolder.of(folder.resolve("p"), ImageFolder.Colors.RGB, 2, 4);
        assertThat(same.classes()).containsExactly("cat", "dog");
        var both = same.read(new int[] {1, 0});
        assertThat(both.x().shape()).isEqualTo(Shape.of(2, 3, 2, 4));
        assertThat(both.y().toInts()).containsExactly(1, 0);
        var x = both.x().toFloats();
        assertThat(x[0]).isEqualTo(0x33 / 255f);
        assertThat(x[8]).isEqualTo(0x66 / 255f);
        assertThat(x[16]).isEqualTo(0x99 / 255f);
        for (int i = 0; i < 8; i++) assertThat(x[24 + i]).isEqualTo(i / 255f);
        // half the size: each point is the mean of four
        var half = ImageFolder.of(folder.resolve("p"), ImageFolder.Colors.RGB, 1, 2);
        var small = half.read(new int[] {0}).x().toFloats();
        assertThat(small[0]).isEqualTo(2.5f / 255f);
        assertThat(small[1]).isEqualTo(4.5f / 255f);
        var gray = ImageFolder.of(folder.resolve("p"), ImageFolder.Colors.GRAY, 2, 4);
        assertThat(gray.read(new int[] {1}).x().toFloats()[0])
                .isEqualTo((float) ((0.299 * 0x33 + 0.587 * 0x66 + 0.114 * 0x99) / 255));
        assertThatThrownBy(
                        () -> ImageFolder.of(folder.resolve("p/cat"), ImageFolder.Colors.RGB, 2, 2))
                .hasMessageContaining("a folder for each class");
    }
}
