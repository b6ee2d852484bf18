package dev.ebb.cuda;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** Compares all cases with the reference device; needs a GPU. */
class DeviceTest {
    @Test
    void every_form_agrees_with_the_reference_on_a_card(@TempDir Path folder) throws Exception {
        OnCard.require();
        DeviceCheck.main(new String[] {folder.toString(), "cases"});
    }
}
