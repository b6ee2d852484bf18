package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.reference.Rooms;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;

/**
 * Holds this module to its lines of the room map: a device knows no tensor, trace or derivative,
 * and its own rooms go one way.
 */
class DeviceRoomTest {
    @Test
    void the_device_keeps_to_its_neighbours() {
        var rooms = Rooms.of(Path.of(".."));
        assertThat(rooms.mayUse().get("cpu")).doesNotContain("tensor", "trace", "grad");
        assertThat(rooms.trespasses(Path.of("target", "classes")))
                .as("edges that the room map of docs/design.md does not allow")
                .isEmpty();
    }
}
