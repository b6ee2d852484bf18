package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.reference.Rooms;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;

/**
 * Checks this module against its lines of the package map: a device does not use tensors, traces or
 * derivatives, and its own packages are acyclic.
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
