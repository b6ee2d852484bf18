package dev.ebb.cuda;

import dev.ebb.reference.Trial;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Random programs on a GPU, including loops, branches and random draws: in random budgets, at the
 * least budget and a byte below it, with places outside the arena, with strategies and on tapes.
 * Each must have the bits of the same program with everything kept.
 */
class CudaCampaignTest {
    private static final int PROGRAMS = 60;

    @BeforeAll
    static void needsCard() {
        OnCard.require();
    }

    @TestFactory
    Stream<DynamicTest> random_programs_have_the_same_bits_in_every_way() throws IOException {
        var folder = Files.createTempDirectory("ebb-campaign");
        return LongStream.rangeClosed(1, PROGRAMS)
                .mapToObj(
                        seed ->
                                DynamicTest.dynamicTest(
                                        "seed " + seed,
                                        () ->
                                                new Trial(
                                                                seed,
                                                                OnCard.device(),
                                                                OnCard.device(),
                                                                folder)
                                                        .run()));
    }
}
