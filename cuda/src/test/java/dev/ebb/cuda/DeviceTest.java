package dev.ebb.cuda;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;

/** What needs a card: all cases, against the reference. */
class DeviceTest {
    @Test
    void every_form_agrees_with_the_reference_on_a_card(@TempDir Path folder) throws Exception {
        assumeTrue(
                Files.exists(Path.of("/dev/nvidiactl")),
                "no NVIDIA card on this machine (/dev/nvidiactl is missing): kernels are not run on"
                        + " one");
        DeviceCheck.main(new String[] {folder.toString(), "cases"});
    }
}
