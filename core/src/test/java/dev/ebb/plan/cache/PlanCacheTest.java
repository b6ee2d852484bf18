package dev.ebb.plan.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Files of plans: kept, bounded, shared by processes, and never believed when damaged. */
class PlanCacheTest {
    @TempDir Path folder;

    private static String key(int number) {
        return new SearchKey(new byte[] {1}).put((long) number).text();
    }

    private static byte[] data(int number, int length) {
        var data = new byte[length];
        new Random(number).nextBytes(data);
        return data;
    }

    private Path file(int number) {
        return folder.resolve(key(number) + ".plan");
    }

    @Test
    void anotherProcessFindsWhatWasPut() {
        PlanCache.in(folder).put(key(1), data(1, 1000));
        assertThat(PlanCache.in(folder).find(key(1))).hasValue(data(1, 1000));
        assertThat(PlanCache.in(folder).find(key(2))).isEmpty();
        assertThat(PlanCache.inMemory().find(key(1))).isEmpty();
        PlanCache.in(folder).put(key(1), data(2, 10));
        assertThat(PlanCache.in(folder).find(key(1))).hasValue(data(2, 10));
        PlanCache.in(folder).put(key(3), new byte[0]);
        assertThat(PlanCache.in(folder).find(key(3))).hasValue(new byte[0]);
    }

    @Test
    void whatAnotherFolderHoldsIsFoundAndLeftAsItIs() throws IOException {
        PlanCache.in(folder).put(key(1), data(1, 100));
        PlanCache.in(folder).put(key(2), data(2, 100));
        var longAgo = FileTime.from(Instant.now().minus(Duration.ofDays(9)));
        Files.setLastModifiedTime(file(1), longAgo);
        var own = folder.resolve("own");
        var both = PlanCache.in(own).reading(folder);
        assertThat(both.find(key(1))).hasValue(data(1, 100));
        assertThat(Files.getLastModifiedTime(file(1)).toMillis()).isEqualTo(longAgo.toMillis());
        both.put(key(2), data(3, 10));
        both.put(key(4), data(4, 10));
        assertThat(PlanCache.in(own).reading(folder).find(key(2)))
                .as("one's own comes first")
                .hasValue(data(3, 10));
        assertThat(PlanCache.in(own).find(key(1))).as("not copied").isEmpty();
        assertThat(PlanCache.in(folder).find(key(2))).hasValue(data(2, 100));
        assertThat(PlanCache.in(folder).find(key(4))).isEmpty();
        var nowhere = folder.resolve("nowhere");
        assertThat(PlanCache.inMemory().reading(nowhere).find(key(1))).isEmpty();
        assertThat(nowhere).doesNotExist();
    }

    @Test
    void a_file_under_the_key_of_another_counts_as_missing() throws IOException {
        PlanCache.in(folder).put(key(1), data(1, 100));
        Files.copy(file(1), file(2));
        assertThat(PlanCache.in(folder).find(key(1))).hasValue(data(1, 100));
        assertThat(PlanCache.in(folder).find(key(2))).isEmpty();
    }

    @Test
    void whatIsDamagedIsNotThereAndIsReplaced() throws IOException {
        PlanCache.in(folder).put(key(1), data(1, 200));
        var whole = Files.readAllBytes(file(1));
        for (int length = 0; length < whole.length; length++) {
            Files.write(file(1), Arrays.copyOf(whole, length));
            requireRightOrNothing("cut at " + length);
        }
        for (int at = 0; at < whole.length; at++) {
            var other = whole.clone();
            other[at] ^= 0x10;
            Files.write(file(1), other);
            requireRightOrNothing("byte " + at);
        }
        Files.writeString(file(1), "something else altogether, long enough to be a header");
        var cache = PlanCache.in(folder);
        assertThat(cache.find(key(1))).isEmpty();
        cache.put(key(1), data(1, 200));
        assertThat(PlanCache.in(folder).find(key(1))).hasValue(data(1, 200));
    }

    /** Bytes that compression ends with, and does not need, may be lost. */
    private void requireRightOrNothing(String what) {
        var found = PlanCache.in(folder).find(key(1));
        if (found.isPresent()) assertThat(found).as(what).hasValue(data(1, 200));
    }

    @Test
    void theFolderStaysWithinItsBound() throws IOException {
        long most = 64 << 10;
        for (int k = 0; k < 40; k++) {
            // each as by a process of its own, an hour after the one before
            PlanCache.in(folder, most).put(key(k), data(k, 4000));
            var then = Instant.now().minus(Duration.ofHours(100 - k));
            if (Files.exists(file(k))) Files.setLastModifiedTime(file(k), FileTime.from(then));
            // used again and again, and kept for that
            assertThat(PlanCache.in(folder, most).find(key(0))).isPresent();
        }
        long bytes = 0;
        try (var files = Files.list(folder)) {
            for (var file : files.toList()) bytes += Files.size(file);
        }
        assertThat(bytes).isLessThanOrEqualTo(most);
        assertThat(PlanCache.in(folder).find(key(1))).isEmpty();
        assertThat(PlanCache.in(folder).find(key(39))).hasValue(data(39, 4000));
    }

    @Test
    void severalAtOnceSeeAllOfAnEntryOrNothing() throws InterruptedException {
        var begin = new CountDownLatch(1);
        var wrong = new AtomicInteger();
        var threads = new Thread[4];
        for (int t = 0; t < threads.length; t++) {
            int own = t;
            threads[t] =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        await(begin);
                                        for (int k = 0; k < 50; k++) {
                                            PlanCache.in(folder).put(key(k % 3), data(own, 5000));
                                            var found = PlanCache.in(folder).find(key(k % 3));
                                            if (found.isEmpty() || !isOne(found.get()))
                                                wrong.incrementAndGet();
                                        }
                                    });
        }
        begin.countDown();
        for (var thread : threads) thread.join();
        assertThat(wrong).hasValue(0);
    }

    private static boolean isOne(byte[] found) {
        for (int t = 0; t < 4; t++) if (Arrays.equals(found, data(t, 5000))) return true;
        return false;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whereNothingCanBeWrittenNothingFails() throws IOException {
        var occupied = Files.writeString(folder.resolve("file"), "not a folder");
        var cache = PlanCache.in(occupied);
        cache.put(key(1), data(1, 10));
        assertThat(cache.find(key(1))).hasValue(data(1, 10));
        assertThat(PlanCache.in(occupied).find(key(1))).isEmpty();
    }
}
