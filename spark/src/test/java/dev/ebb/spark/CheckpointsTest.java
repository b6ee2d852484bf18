package dev.ebb.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.nn.file.LazyTensor;
import dev.ebb.nn.parallel.Partition;
import dev.ebb.tensor.Array;

import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import scala.Tuple2;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The contents of a folder after a fault, and which of them a run reads. */
class CheckpointsTest {
    @TempDir Path folder;

    private Checkpoints checkpoints() {
        return new Checkpoints(folder.toUri().toString());
    }

    private static void write(Checkpoints checkpoints, long step) throws IOException {
        var x = Array.of(1f, 2f, step);
        checkpoints.write(step, List.of(new LazyTensor("x", x.type(), () -> x)), Map.of());
    }

    private Path file(long step) {
        return folder.resolve("step-%010d.safetensors".formatted(step));
    }

    /** Flips a byte, and deletes the checksums by which Hadoop would detect it. */
    private void damage(Path file) throws IOException {
        var bytes = Files.readAllBytes(file);
        bytes[bytes.length - 1] ^= 1;
        Files.write(file, bytes);
        Files.deleteIfExists(folder.resolve("." + file.getFileName() + ".crc"));
    }

    @Test
    void the_latest_that_is_whole_counts_and_a_damaged_one_is_written_again() throws IOException {
        var checkpoints = checkpoints();
        for (long step = 1; step <= 3; step++) write(checkpoints, step);
        assertThat(checkpoints.steps()).as("two are kept").containsExactly(3L, 2L);
        damage(file(3));
        assertThat(checkpoints.latest()).isEqualTo(2);
        write(checkpoints, 3);
        assertThat(checkpoints.latest()).isEqualTo(3);
        assertThat(checkpoints.read(3, f -> f.read("x").toFloats()).orElseThrow())
                .containsExactly(1, 2, 3);
    }

    @Test
    void what_hadoop_finds_damaged_and_what_is_gone_do_not_count() throws IOException {
        var checkpoints = checkpoints();
        write(checkpoints, 1);
        write(checkpoints, 2);
        var bytes = Files.readAllBytes(file(2));
        bytes[bytes.length - 1] ^= 1;
        Files.write(file(2), bytes);
        assertThat(checkpoints.latest()).isEqualTo(1);
        Files.delete(file(1));
        assertThat(checkpoints.latest()).isZero();
    }

    @Test
    void a_folder_that_cannot_be_made_is_told() throws IOException {
        var file = Files.writeString(folder.resolve("file"), "not a folder");
        for (var wrong : List.of(file.resolve("run").toUri().toString(), "nosuch://host/run")) {
            assertThatThrownBy(() -> new Checkpoints(wrong).make())
                    .hasMessageContainingAll("the folder " + wrong, "cannot be made", "executors");
        }
        var made = folder.resolve("a/b");
        new Checkpoints(made.toUri().toString()).make();
        assertThat(made).isDirectory();
    }

    /** On a file system that does not rename a file to an existing name, such as HDFS. */
    @Test
    void a_damaged_file_is_replaced_where_names_are_given_once() throws IOException {
        var once = new Checkpoints("once:" + folder);
        Local.session();
        write(once, 1);
        damage(file(1));
        write(once, 1);
        assertThat(once.latest()).isEqualTo(1);
    }

    @Test
    void what_a_killed_writer_left_is_swept() throws IOException {
        var left = folder.resolve(".0f8fad5b-d9cb-469f-a165-70867728950e");
        Files.writeString(left, "half of a checkpoint");
        var checkpoints = checkpoints();
        write(checkpoints, 1);
        checkpoints.sweep();
        assertThat(left).doesNotExist();
        assertThat(checkpoints.latest()).isEqualTo(1);
    }

    /** Rank 1 of two, batches of four: places 2 and 3, 6 and 7, ... */
    @Test
    void rows_come_in_their_places_or_not_at_all() {
        var feed = new BatchSource.Table(List.of(Column.number("x")), 4, new RowOrder(1, 9));
        var cut = new Partition(2, 2);
        var all = new ArrayList<Tuple2<Long, Row>>();
        for (long place : new long[] {2, 3, 6, 7})
            all.add(new Tuple2<>(place, RowFactory.create((double) place)));
        var from = feed.rows(cut, 1, 1, all.iterator());
        assertThat(from.next().getFirst().toFloats())
                .as("after a checkpoint")
                .containsExactly(6, 7);
        assertThatThrownBy(from::next).hasMessageContainingAll("place 10", "not there", "files");
        var gap = feed.rows(cut, 1, 0, all.subList(1, 4).iterator());
        assertThatThrownBy(gap::next).hasMessageContaining("place 2");
    }
}
