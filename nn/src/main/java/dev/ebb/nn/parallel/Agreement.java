package dev.ebb.nn.parallel;

import dev.ebb.ir.math.Sha256;
import dev.ebb.plan.Plan;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * Checks before the first exchange that all ranks run the same program, so that a difference is an
 * error and not a deadlock.
 */
public final class Agreement {
    private static final int BYTES = 32;

    private Agreement() {}

    /**
     * A digest of a plan: the graph's ops, types and edges, every step, and every offset in memory.
     */
    public static byte[] digest(Plan plan) {
        var sha = Sha256.start();
        feed(sha, plan.schedule().problem().graph().toString());
        for (var step : plan.schedule().steps()) feed(sha, step.toString());
        for (var slot : plan.layout().slots()) feed(sha, slot.toString());
        return sha.digest();
    }

    /**
     * Compares {@code digest}, of 32 bytes, with that of every other rank.
     *
     * @param subject what is digested, for the error
     */
    public static void require(Group group, String subject, byte[] digest) {
        var all = MemorySegment.ofArray(new byte[BYTES * group.size()]);
        HostCollectives.allGather(group, MemorySegment.ofArray(digest), all);
        var others = new ArrayList<Integer>();
        for (int i = 0; i < group.size(); i++) {
            if (all.asSlice((long) i * BYTES, BYTES).mismatch(MemorySegment.ofArray(digest)) >= 0)
                others.add(i);
        }
        if (!others.isEmpty()) throw differ(group, subject, digest, others);
    }

    private static PeerException differ(
            Group group, String subject, byte[] digest, List<Integer> others) {
        return new PeerException(
                ("%s of rank %s (%s) is not that of ranks %s; give all ranks the same program,"
                                + " budget and kind of device")
                        .formatted(
                                subject,
                                group.rank(),
                                HexFormat.of().formatHex(digest, 0, 4),
                                others));
    }

    private static void feed(MessageDigest sha, String text) {
        sha.update(text.getBytes(StandardCharsets.UTF_8));
        sha.update((byte) '\n');
    }
}
