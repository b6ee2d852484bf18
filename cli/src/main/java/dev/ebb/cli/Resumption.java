package dev.ebb.cli;

import dev.ebb.cli.option.Refusal;
import dev.ebb.nn.model.AutoregressiveModel;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.nn.model.ModelSize;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Resumes a run with the settings with which it was started. An option on the command line changes
 * a stored setting, which is reported; an option that would change the bits of the result is
 * refused.
 *
 * @param given the options on the command line
 */
record Resumption(ExplicitOptions given, PrintWriter lines) {

    /** The checkpoint with the settings changed by the command line. */
    Checkpoint of(Checkpoint found, Optional<ModelSize> size) {
        var s = found.settings();
        same("--batch", s.batch());
        same("--context", s.context());
        same("--seed", s.seed());
        var old = found.setup();
        // with --from the model is the file's, and --model gives only batch and context
        if (old.from().isEmpty()) size.ifPresent(asked -> sameModel(asked, found.state().model()));
        same("--from", given.path("--from"), old.from());
        same("--prefix", given.text("--prefix"), old.prefix());
        var disk = given.path("--disk").orElse(old.disk());
        var next =
                new RunOptions(
                        changed("--budget", given.text("--budget"), old.budget()),
                        changed("--disk", given.path("--disk"), old.disk()),
                        disk.isEmpty()
                                ? old.room()
                                : changed("--disk-room", given.text("--disk-room"), old.room()),
                        changed("--cost", given.text("--cost"), old.cost()),
                        (int) changed("--threads", old.threads()),
                        (int) changed("--checkpoint", old.every()),
                        changed("--steps", old.steps()),
                        old.from(),
                        old.prefix());
        if (next.steps() <= found.step()) {
            lines.println(
                    "all "
                            + found.step()
                            + " steps are made already; --steps "
                            + 2 * found.step()
                            + " would go on to step "
                            + 2 * found.step());
        }
        return found.with(next);
    }

    private String changed(String option, Optional<String> now, String before) {
        if (now.isEmpty() || now.get().equals(before)) return before;
        var shown = before.isEmpty() ? "none" : before;
        lines.println(option.substring(2) + " " + shown + " -> " + now.get());
        return now.get();
    }

    private long changed(String option, long before) {
        var now = given.whole(option).orElse(before);
        if (now != before) {
            var shown = before == 0 ? "one a core" : String.valueOf(before);
            lines.println(option.substring(2) + " " + shown + " -> " + now);
        }
        return now;
    }

    private void same(String option, long before) {
        given.whole(option)
                .filter(now -> now != before)
                .ifPresent(now -> refuse(option + " " + now, "with " + before));
    }

    private static void same(String option, Optional<String> now, String before) {
        now.filter(text -> !text.equals(before))
                .ifPresent(
                        text ->
                                refuse(
                                        option + " " + text,
                                        before.isEmpty() ? "without it" : "with " + before));
    }

    private static void sameModel(ModelSize asked, AutoregressiveModel model) {
        boolean alike =
                model instanceof Gpt2(_, _, _, _, var c)
                        && c.layers() == asked.layers()
                        && c.width() == asked.width()
                        && c.heads() == asked.heads();
        if (!alike)
            refuse(
                    "--model " + asked.layers() + "x" + asked.width() + "x" + asked.heads(),
                    "as " + Run.described(model));
    }

    private static void refuse(String asked, String before) {
        throw new Refusal(
                ("%s would change the result: the run was begun %s; leave the option out to go on"
                                + " as it was, or start anew with another --out")
                        .formatted(asked, before));
    }

    /** A path in the form in which the checkpoint stores it. */
    static String kept(Path path) {
        return path.toAbsolutePath().normalize().toString();
    }
}
