package dev.ebb.cuda;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** What needs a card: all cases, against the reference. */
class DeviceTest {
    @Test
    void every_form_agrees_with_the_reference_on_a_card(@TempDir Path folder) throws Exception {
        OnCard.require();
        DeviceCheck.main(new String[] {folder.toString(), "cases"});
    }
}
