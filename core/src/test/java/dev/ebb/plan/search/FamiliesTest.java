package dev.ebb.plan.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.plan.schedule.Disk;
import dev.ebb.plan.schedule.Host;
import dev.ebb.plan.schedule.Place;
import dev.ebb.plan.schedule.Way;
import dev.ebb.plan.schedule.Ways;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;

/** Which selections of the places beside the arena are searched. */
class FamiliesTest {
    private static final Place NEAR = Host.memory(1 << 20);
    private static final Place LARGE = Host.memory(1 << 24);
    private static final Place DISK = Disk.in(Path.of("fast"), 1 << 26);
    private static final Place SLOW = Disk.in(Path.of("slow"), 1L << 40);
    private static final List<Place> ALL = List.of(NEAR, LARGE, DISK, SLOW);

    @Test
    void aPlaceMoreAddsTwoSelectionsAndKeepsThoseThereWere() {
        var before = Families.selections(Ways.every(), List.of());
        assertThat(before).containsExactly(List.of());
        for (int count = 1; count <= ALL.size(); count++) {
            var places = ALL.subList(0, count);
            var selections = Families.selections(Ways.every(), places);
            assertThat(selections).hasSize(2 * count).doesNotHaveDuplicates().containsAll(before);
            assertThat(selections.getLast()).isEqualTo(places);
            for (var place : places) assertThat(selections).contains(List.of(place));
            before = selections;
        }
    }

    /** So that what each kind of place adds can be shown. */
    @Test
    void thePlacesOfANearerKindAreSelectedTogetherWhereverTheyAreNamed() {
        var mixed = List.of(DISK, NEAR, SLOW, LARGE);
        var hosts = Families.selections(Ways.of(Way.HOST), mixed);
        assertThat(hosts)
                .containsExactly(List.of(), List.of(NEAR), List.of(LARGE), List.of(NEAR, LARGE));
        assertThat(Families.selections(Ways.every(), mixed)).containsAll(hosts).endsWith(mixed);
    }
}
